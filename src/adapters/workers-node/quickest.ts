/**
 * The default backend within a thread. Instead of WebCrypto it uses node:crypto, which is synchronous, uses the same library and returns
 * the same bytes.
 */
import type { AeadKey, AeadName, CryptoBackend } from '../../core/crypto/backend.ts'

/** Up to this length, noble with an imported key is faster than creating a cipher of node:crypto (measured). */
const SHORT_BYTES = 128

/**
 * Returns a backend that encrypts short values with noble and longer values with node:crypto. The key for a backend is created only when a
 * value needs it: the values of a task often have similar lengths, so one key often suffices.
 */
export function quickest(noble: CryptoBackend, node: CryptoBackend): CryptoBackend {
  return { ...node, name: 'the quicker one', aead: (algorithm, key) => quickestAead(noble, node, algorithm, key) }
}

function quickestAead(noble: CryptoBackend, node: CryptoBackend, algorithm: AeadName, key: Uint8Array): AeadKey {
  const bytes = Uint8Array.from(key)
  const made = new Map<CryptoBackend, AeadKey>()
  const keyFor = (text: Uint8Array, aad: Uint8Array): AeadKey => {
    const backend = text.length + aad.length <= SHORT_BYTES ? noble : node
    const known = made.get(backend) ?? backend.aead(algorithm, bytes)
    made.set(backend, known)
    return known
  }
  return {
    nonceBytes: algorithm === 'xchacha20-poly1305' ? 24 : 12,
    shortBytes: Number.POSITIVE_INFINITY,
    seal: (nonce, plaintext, aad, out, at) => keyFor(plaintext, aad).seal(nonce, plaintext, aad, out, at),
    sealSteps: (nonce, plaintext, aad, out, at) => keyFor(plaintext, aad).sealSteps(nonce, plaintext, aad, out, at),
    open: (nonce, sealed, aad, from) => keyFor(sealed, aad).open(nonce, sealed, aad, from),
    openSteps: (nonce, sealed, aad) => keyFor(sealed, aad).openSteps(nonce, sealed, aad),
    wipe() {
      bytes.fill(0)
      for (const one of made.values()) one.wipe()
    },
  }
}
