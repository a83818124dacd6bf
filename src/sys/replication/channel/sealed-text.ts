/** Encrypts and decrypts single messages. The nonce is a counter. */
import { KernelError } from '../../../core/base/errors.ts'
import { SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import { MAX_REPLICATION_MESSAGE_BYTES } from '../../../core/contract/replication-transport.ts'
import type { AeadKey } from '../../../core/crypto/backend.ts'

export const TAG_BYTES = 16

/** An upper bound for the length of a message's head and tag together. */
const MAX_OVERHEAD_BYTES = 64

/** The maximum length of a message's plaintext. */
export const MAX_PLAINTEXT_BYTES = MAX_REPLICATION_MESSAGE_BYTES - MAX_OVERHEAD_BYTES

/** @throws KernelError 413 if the plaintext does not fit into a message. */
export function assertPlaintextFits({ length }: Uint8Array): void {
  if (length <= MAX_PLAINTEXT_BYTES) return
  throw new KernelError('ERR_REQUEST_TOO_LARGE', 'a message between clusters is too long; send less at a time', {
    details: { bytes: length, limit: MAX_PLAINTEXT_BYTES },
  })
}

/**
 * Returns head, ciphertext and tag. The tag authenticates head and ciphertext. The caller must use each counter only once per key.
 *
 * @throws KernelError 413 if the plaintext does not fit into a message.
 */
export function* sealText(key: AeadKey, counter: number, head: Uint8Array, plaintext: Uint8Array): Steps<Uint8Array> {
  assertPlaintextFits(plaintext)
  const message = new Uint8Array(head.length + plaintext.length + TAG_BYTES)
  message.set(head)
  const nonce = nonceOf(key, counter)
  if (plaintext.length <= SLICE_BYTES) key.seal(nonce, plaintext, head, message, head.length)
  else yield* key.sealSteps(nonce, plaintext, head, message, head.length)
  return message
}

/** Returns the plaintext, or undefined if the tag does not match the head and the ciphertext. */
export function* openText(key: AeadKey, counter: number, head: Uint8Array, sealed: Uint8Array): Steps<Uint8Array | undefined> {
  const nonce = nonceOf(key, counter)
  return sealed.length <= SLICE_BYTES ? key.open(nonce, sealed, head) : yield* key.openSteps(nonce, sealed, head)
}

/** Like {@link sealText}, with a key that is used once and then wiped. */
export function* sealOnce(key: AeadKey, head: Uint8Array, plaintext: Uint8Array): Steps<Uint8Array> {
  try {
    return yield* sealText(key, 0, head, plaintext)
  } finally {
    key.wipe()
  }
}

/** Like {@link openText}, with a key that is used once and then wiped. */
export function* openOnce(key: AeadKey, head: Uint8Array, sealed: Uint8Array): Steps<Uint8Array | undefined> {
  try {
    return yield* openText(key, 0, head, sealed)
  } finally {
    key.wipe()
  }
}

/** Returns the counter as a big-endian nonce. Four bytes are enough, because counters are below 2^32. */
function nonceOf(key: AeadKey, counter: number): Uint8Array {
  const nonce = new Uint8Array(key.nonceBytes)
  new DataView(nonce.buffer).setUint32(nonce.length - 4, counter)
  return nonce
}
