/**
 * An anonymous message to the owner of a public key. Format: version, ephemeral public key, ciphertext and tag.
 *
 * There is no forward secrecy: someone who obtains the owner's secret key later can decrypt the message. The message cannot be answered.
 */
import { plainBytes, toUtf8 } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { MAX_REPLICATION_MESSAGE_BYTES } from '../../../core/contract/replication-transport.ts'
import { type KeyPair, newKeyPair, PUBLIC_KEY_BYTES } from './key-pair.ts'
import { KeySchedule } from './key-schedule.ts'
import type { ChannelParts } from './parts.ts'
import { openOnce, sealOnce } from './sealed-text.ts'

const VERSION = 1
const HEAD_BYTES = 1 + PUBLIC_KEY_BYTES

/**
 * @param plaintext Not copied: must not change until the generator has ended.
 * @param context The purpose of the message. Opening the message requires the same string.
 * @returns Undefined if the public key is invalid: not 32 bytes long, or of low order.
 * @throws KernelError 413 if the plaintext does not fit into a message.
 */
export function* sealTo(
  parts: ChannelParts,
  publicKey: Uint8Array,
  plaintext: Uint8Array,
  context: string,
): Steps<Uint8Array | undefined> {
  const ephemeral = newKeyPair(parts)
  const secret = ephemeral.agree(publicKey)
  ephemeral.wipe()
  const head = Uint8Array.of(VERSION, ...ephemeral.publicKey)
  const key = boxKey(parts, secret, publicKey, context, head)
  return key && (yield* sealOnce(key, head, plaintext))
}

/** Returns the plaintext, or undefined if the message was not encrypted for this key and this context. */
export function* openBox(
  parts: ChannelParts,
  keyPair: KeyPair,
  sealed: Uint8Array,
  context: string,
): Steps<Uint8Array | undefined> {
  const box = plainBytes(sealed)
  if (box[0] !== VERSION || box.length < HEAD_BYTES || box.length > MAX_REPLICATION_MESSAGE_BYTES) return undefined
  const head = box.slice(0, HEAD_BYTES)
  const key = boxKey(parts, keyPair.agree(head.subarray(1)), keyPair.publicKey, context, head)
  return key && (yield* openOnce(key, head, box.subarray(HEAD_BYTES)))
}

function boxKey(
  { crypto }: ChannelParts,
  secret: Uint8Array | undefined,
  publicKey: Uint8Array,
  context: string,
  head: Uint8Array,
) {
  const schedule = new KeySchedule(crypto)
  schedule.bind(toUtf8(context), publicKey, head)
  const key = schedule.mix(secret) ? schedule.key('box') : undefined
  schedule.wipe()
  return key
}
