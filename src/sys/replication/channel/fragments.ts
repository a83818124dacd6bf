/**
 * Encrypts messages of any length as sequences of Noise transport messages, which have at most 65,535 bytes.
 *
 * The fragments of a message have consecutive nonces, and all but the last have the maximum length. The plaintext of each fragment begins with
 * a byte that marks the first and the last fragment, so a message without its beginning or its end is refused.
 */
import { EMPTY } from '../../../core/base/bytes.ts'
import { KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { MAX_REPLICATION_MESSAGE_BYTES } from '../../../core/contract/replication-transport.ts'
import { TAG_BYTES } from './noise/cipher-state.ts'
import { MAX_NOISE_MESSAGE_BYTES } from './noise/handshake-state.ts'
import type { TransportCipher } from './transport-cipher.ts'

const FIRST = 1
const LAST = 2

const OVERHEAD_BYTES = 1 + TAG_BYTES

const MAX_FRAGMENT_DATA_BYTES = MAX_NOISE_MESSAGE_BYTES - OVERHEAD_BYTES

/** An upper bound for the bytes that a message has in addition to its plaintext: its header, and the flags and tags of 129 fragments. */
const MAX_OVERHEAD_BYTES = 4096

/** The maximum length of a message's plaintext. */
export const MAX_PLAINTEXT_BYTES = MAX_REPLICATION_MESSAGE_BYTES - MAX_OVERHEAD_BYTES

/** @throws KernelError 413 if the plaintext does not fit into a message. */
export function assertPlaintextFits({ length }: Uint8Array, limit = MAX_PLAINTEXT_BYTES): void {
  if (length <= limit) return
  throw new KernelError('ERR_REQUEST_TOO_LARGE', 'a message between clusters is too long; send less at a time', {
    details: { bytes: length, limit },
  })
}

/** The number of fragments, and so of nonces, of a plaintext of this length. */
export const countFragments = (length: number): number => Math.max(1, Math.ceil(length / MAX_FRAGMENT_DATA_BYTES))

/** The number of fragments in this many bytes of ciphertext. */
export const countSealedFragments = (length: number): number => Math.ceil(length / MAX_NOISE_MESSAGE_BYTES)

const flagsOf = (index: number, count: number): number => (index === 0 ? FIRST : 0) | (index === count - 1 ? LAST : 0)

/**
 * Encrypts `prefix` and `plaintext` as one message.
 *
 * @param nonce The nonce of the first fragment. The following nonces must be unused as well.
 * @param head The unencrypted beginning of the message.
 * @param plaintext Not copied: must not change until the generator has ended.
 * @returns Head and fragments; undefined if the cipher ended meanwhile.
 */
export function* sealFragments(
  cipher: TransportCipher,
  nonce: number,
  head: Uint8Array,
  plaintext: Uint8Array,
  prefix: Uint8Array = EMPTY,
): Steps<Uint8Array | undefined> {
  const length = prefix.length + plaintext.length
  const count = countFragments(length)
  const message = new Uint8Array(head.length + length + count * OVERHEAD_BYTES)
  message.set(head)
  const buffer = new Uint8Array(Math.min(1 + length, 1 + MAX_FRAGMENT_DATA_BYTES))
  let from = 0
  try {
    for (let index = 0; index < count; index++) {
      if (index > 0) yield
      const begin = index === 0 ? 1 + prefix.length : 1
      const data = plaintext.subarray(from, from + buffer.length - begin)
      buffer[0] = flagsOf(index, count)
      if (index === 0) buffer.set(prefix, 1)
      buffer.set(data, begin)
      from += data.length
      const at = head.length + index * MAX_NOISE_MESSAGE_BYTES
      if (!cipher.encrypt(nonce + index, buffer.subarray(0, begin + data.length), message, at)) return undefined
    }
  } finally {
    buffer.fill(0)
  }
  return message
}

/**
 * Decrypts the fragments of one message.
 *
 * @param sealed Not copied: must not change until the generator has ended.
 * @returns The plaintext; undefined if a fragment is invalid, missing or misplaced, or if the cipher ended meanwhile.
 */
export function* openFragments(cipher: TransportCipher, nonce: number, sealed: Uint8Array): Steps<Uint8Array | undefined> {
  const count = countSealedFragments(sealed.length)
  if (count === 0 || sealed.length - (count - 1) * MAX_NOISE_MESSAGE_BYTES < OVERHEAD_BYTES) return undefined
  if (count === 1) return openOnly(cipher, nonce, sealed)
  const plaintext = new Uint8Array(sealed.length - count * OVERHEAD_BYTES)
  let isComplete = false
  try {
    for (let index = 0; index < count; index++) {
      if (index > 0) yield
      const at = index * MAX_NOISE_MESSAGE_BYTES
      const piece = cipher.decrypt(nonce + index, sealed.subarray(at, at + MAX_NOISE_MESSAGE_BYTES))
      if (piece === undefined) return undefined
      const isInPlace = piece[0] === flagsOf(index, count)
      if (isInPlace) plaintext.set(piece.subarray(1), index * MAX_FRAGMENT_DATA_BYTES)
      piece.fill(0)
      if (!isInPlace) return undefined
    }
    isComplete = !cipher.ended
    return isComplete ? plaintext : undefined
  } finally {
    if (!isComplete) plaintext.fill(0)
  }
}

/** Decrypts a message that has only one fragment. */
function openOnly(cipher: TransportCipher, nonce: number, sealed: Uint8Array): Uint8Array | undefined {
  const piece = cipher.decrypt(nonce, sealed)
  if (piece?.[0] === flagsOf(0, 1)) return piece.subarray(1)
  piece?.fill(0)
  return undefined
}
