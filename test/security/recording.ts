/**
 * Recording ports: an entropy that keeps every key it helped to create, and a crypto backend that counts the keys in memory.
 */
import { createDecipheriv } from 'node:crypto'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import type { CryptoBackend, Entropy } from '../../src/index.ts'
import { seededEntropy } from '../../src/testing/index.ts'

export interface RecordingEntropy extends Entropy {
  /** Copies of all draws in order. */
  readonly draws: readonly Uint8Array[]
}

export function recordingEntropy(seed: string): RecordingEntropy {
  const inner = seededEntropy(seed)
  const draws: Uint8Array[] = []
  return {
    draws,
    bytes(n) {
      const bytes = inner.bytes(n)
      draws.push(bytes.slice())
      return bytes
    },
  }
}

const CIPHERS = {
  'aes128-gcm96': { cipher: 'aes-128-gcm', keyBytes: 16 },
  'aes256-gcm96': { cipher: 'aes-256-gcm', keyBytes: 32 },
  'chacha20-poly1305': { cipher: 'chacha20-poly1305', keyBytes: 32 },
} as const
export type KnownCipher = keyof typeof CIPHERS

/** Decrypts `nonce || ciphertext || tag` with node:crypto; undefined if the tag is wrong. */
export function openByNode(
  type: KnownCipher,
  key: Uint8Array,
  sealed: Uint8Array,
  aad: Uint8Array = new Uint8Array(0),
): Uint8Array | undefined {
  const { cipher } = CIPHERS[type]
  // Node's types distinguish ciphers that its implementation treats alike.
  const decipher = createDecipheriv(cipher as 'aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(aad, { plaintextLength: sealed.length - 28 })
  decipher.setAuthTag(sealed.subarray(sealed.length - 16))
  const text = decipher.update(sealed.subarray(12, sealed.length - 16))
  try {
    decipher.final()
    return Uint8Array.from(text)
  } catch {
    return undefined
  }
}

export const ZERO_KEY = (type: KnownCipher): Uint8Array => new Uint8Array(CIPHERS[type].keyBytes)

/** The recorded draw that is the key of this ciphertext. */
export function findRecordedKey(draws: readonly Uint8Array[], type: KnownCipher, sealed: Uint8Array): Uint8Array {
  const found = draws.find((draw) => draw.length === CIPHERS[type].keyBytes && openByNode(type, draw, sealed))
  if (!found) throw new Error('no recorded key opens this')
  return found
}

export interface TrackedCrypto extends CryptoBackend {
  /** Key objects that were created and not wiped. */
  readonly alive: number
  readonly made: number
}

interface Wipeable {
  wipe(): void
}

/** A backend that counts its secret key objects until they are wiped. */
export function trackedCrypto(inner: CryptoBackend = nobleCrypto()): TrackedCrypto {
  const living = new Set<Wipeable>()
  let made = 0
  const track = <K extends Wipeable>(key: K): K => {
    const wipe = key.wipe.bind(key)
    key.wipe = () => {
      living.delete(key)
      wipe()
    }
    living.add(key)
    made++
    return key
  }
  return {
    ...inner,
    aead: (algorithm, key) => track(inner.aead(algorithm, key)),
    hmac: (hash, key) => track(inner.hmac(hash, key)),
    ed25519Sign: (seed) => track(inner.ed25519Sign(seed)),
    ecdsaSign: (curve, scalar) => track(inner.ecdsaSign(curve, scalar)),
    x25519: (secretKey) => track(inner.x25519(secretKey)),
    get alive() {
      return living.size
    },
    get made() {
      return made
    },
  }
}
