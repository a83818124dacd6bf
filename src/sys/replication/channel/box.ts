/**
 * An anonymous message to the owner of a public key (Noise pattern N). Format: version, handshake message, fragments.
 *
 * There is no forward secrecy: someone who obtains the owner's secret key later can decrypt the message. The message cannot be answered.
 */
import { EMPTY, plainBytes } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { MAX_REPLICATION_MESSAGE_BYTES } from '../../../core/contract/replication-transport.ts'
import { assertPlaintextFits, openFragments, sealFragments } from './fragments.ts'
import { newHandshake } from './handshakes.ts'
import { type KeyPair, PUBLIC_KEY_BYTES } from './key-pair.ts'
import { TAG_BYTES } from './noise/cipher-state.ts'
import type { ChannelParts } from './parts.ts'
import { SessionKeys } from './session-keys.ts'

const VERSION = 1
const HANDSHAKE_BYTES = PUBLIC_KEY_BYTES + TAG_BYTES
const HEAD_BYTES = 1 + HANDSHAKE_BYTES

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
  assertPlaintextFits(plaintext)
  const handshake = newHandshake(parts, 'box', context, { remoteStatic: publicKey })
  let keys: SessionKeys | undefined
  try {
    const message = yield* handshake.writeMessage(EMPTY)
    if (message === undefined) return undefined
    keys = new SessionKeys(handshake)
    return yield* sealFragments(keys.outgoing, 0, Uint8Array.of(VERSION, ...message), plaintext)
  } finally {
    handshake.wipe()
    keys?.end()
  }
}

/** Returns the plaintext, or undefined if the message was not encrypted for this key and this context. */
export function* openBox(
  parts: ChannelParts,
  keyPair: KeyPair,
  sealed: Uint8Array,
  context: string,
): Steps<Uint8Array | undefined> {
  const box = plainBytes(sealed)
  if (box[0] !== VERSION || box.length > MAX_REPLICATION_MESSAGE_BYTES) return undefined
  const handshake = newHandshake(parts, 'box', context, { identity: keyPair })
  let keys: SessionKeys | undefined
  try {
    if (!(yield* handshake.readMessage(box.subarray(1, HEAD_BYTES)))) return undefined
    keys = new SessionKeys(handshake)
    return yield* openFragments(keys.incoming, 0, box.subarray(HEAD_BYTES))
  } finally {
    handshake.wipe()
    keys?.end()
  }
}
