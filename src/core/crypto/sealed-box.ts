/** Sealed boxes of libsodium (`crypto_box_seal`): anonymous encryption to a public key. */
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { blake2b } from '@noble/hashes/blake2.js'
import type { Entropy } from '../base/entropy.ts'
import { X25519_BYTES } from './backend.ts'
import { x25519Agree, x25519PublicKey } from './x25519.ts'

const NONCE_BYTES = 24
const TAG_BYTES = 16
/** The number of bytes by which a box is longer than its message. */
export const SEALED_BOX_OVERHEAD = X25519_BYTES + TAG_BYTES

/** The constant "expand 32-byte k" of Salsa20 as words. */
const SIGMA = /* @__PURE__ */ Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574)

/** Encrypts a message. @returns The ephemeral public key followed by the box. Undefined if the public key is invalid or has low order. */
export function sealBox(message: Uint8Array, publicKey: Uint8Array, entropy: Entropy): Uint8Array | undefined {
  if (publicKey.length !== X25519_BYTES) return undefined
  const secret = entropy.bytes(X25519_BYTES)
  const key = agreedKey(secret, publicKey)
  try {
    if (!key) return undefined
    const ephemeral = x25519PublicKey(secret)
    const sealed = new Uint8Array(message.length + SEALED_BOX_OVERHEAD)
    sealed.set(ephemeral)
    sealed.set(xsalsa20poly1305(key, nonceOf(ephemeral, publicKey)).encrypt(message), X25519_BYTES)
    return sealed
  } finally {
    secret.fill(0)
    key?.fill(0)
  }
}

/** The nonce is derived from both public keys. It is unique because the ephemeral key is unique. */
const nonceOf = (ephemeral: Uint8Array, publicKey: Uint8Array): Uint8Array =>
  blake2b.create({ dkLen: NONCE_BYTES }).update(ephemeral).update(publicKey).digest()

/** The encryption key: HSalsa20 of the shared secret with a zero nonce. */
function agreedKey(secret: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  const shared = x25519Agree(secret, publicKey)
  if (!shared) return undefined
  const key = new Uint32Array(8)
  const words = wordsOf(shared)
  hsalsa(SIGMA, words, new Uint32Array(4), key)
  const bytes = bytesOf(key)
  for (const used of [shared, words, key]) used.fill(0)
  return bytes
}

/** Words are little-endian, whatever the platform's byte order is. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true))
}

function bytesOf(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(4 * words.length)
  const view = new DataView(bytes.buffer)
  for (const [i, word] of words.entries()) view.setUint32(4 * i, word, true)
  return bytes
}
