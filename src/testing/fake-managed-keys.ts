import type { Entropy } from '../core/base/entropy.ts'
import { notFound } from '../core/base/errors.ts'
import { readOptions } from '../core/base/options.ts'
import type { AeadKey, CryptoBackend, EcdsaSignKey, EcdsaVerifyKey } from '../core/crypto/backend.ts'
import { NIST_CURVES } from '../core/crypto/curves/curve-code.ts'
import { decodeEcdsaSignature, encodeEcdsaSignature } from '../core/crypto/ecdsa-der.ts'
import { nobleCrypto } from '../core/crypto/noble/index.ts'
import { ecSpkiDer } from '../core/crypto/spki.ts'
import type { ManagedKeyRef, ManagedKeys } from '../engines/transit/port.ts'
import { seededEntropy } from './seeded-entropy.ts'

export interface FakeManagedKeysOptions {
  /** The keys that exist in the fake. Every key can encrypt with AES-256-GCM and sign with ECDSA P-256. */
  readonly keys: readonly { readonly name: string; readonly id?: string }[]
  /** The source of the key bytes. Default: `seededEntropy` with a fixed seed, so every run has the same keys. */
  readonly entropy?: Entropy
}

export interface FakeManagedKeys extends ManagedKeys {
  /** All calls in their order. Each entry is the method and the key, such as `encrypt billing`. */
  readonly calls: readonly string[]
  /** Makes all later calls reject with this error. `fail()` without an error makes them succeed again. */
  fail(error?: Error): void
}

interface FakeKey {
  readonly name: string
  readonly aead: AeadKey
  /** Opens the key pair. The first call also loads the code for elliptic curves. */
  readonly pair: () => Promise<FakeKeyPair>
}

interface FakeKeyPair {
  readonly signing: EcdsaSignKey
  readonly verifying: EcdsaVerifyKey
}

const NONCE_BYTES = 12

const TAG_BYTES = 16

const FIELD_BYTES = 32

/** The random bytes from which a private key of P-256 is made. */
const SEED_BYTES = 48

/**
 * Returns an HSM or KMS in memory, for tests. It finds a key by its id or, without an id, by its name. A call for an unknown key fails with
 * status 404.
 */
export function fakeManagedKeys(given: FakeManagedKeysOptions): FakeManagedKeys {
  const options = readOptions('fakeManagedKeys', given, { keys: 1, entropy: 1 })
  const crypto = nobleCrypto()
  const entropy = options.entropy ?? seededEntropy('managed keys')
  const calls: string[] = []
  let failure: Error | undefined
  const held = new Map<string, FakeKey>()
  for (const { name, id } of options.keys) {
    const seed = entropy.bytes(SEED_BYTES)
    const key = { name, aead: crypto.aead('aes-gcm', entropy.bytes(32)), pair: openedOnce(crypto, seed) }
    held.set(`name ${name}`, key)
    if (id !== undefined) held.set(`id ${id}`, key)
  }

  const find = (what: string, { id, name }: ManagedKeyRef): FakeKey => {
    calls.push(`${what} ${id ?? name}`)
    if (failure) throw failure
    const key = held.get(id === undefined ? `name ${name}` : `id ${id}`)
    if (!key) throw notFound('managed_key_name, managed_key_id: the key does not exist in the key manager')
    return key
  }

  return {
    calls,
    fail(error) {
      failure = error
    },
    async encrypt(ref, plaintext, associatedData) {
      const { aead } = find('encrypt', ref)
      const sealed = new Uint8Array(NONCE_BYTES + plaintext.length + TAG_BYTES)
      sealed.set(entropy.bytes(NONCE_BYTES))
      aead.seal(sealed.slice(0, NONCE_BYTES), plaintext, associatedData, sealed, NONCE_BYTES)
      return sealed
    },
    async decrypt(ref, ciphertext, associatedData) {
      const { aead } = find('decrypt', ref)
      if (ciphertext.length < NONCE_BYTES + TAG_BYTES) return undefined
      return aead.open(ciphertext.subarray(0, NONCE_BYTES), ciphertext.subarray(NONCE_BYTES), associatedData)
    },
    async sign(ref, digest, { marshaling }) {
      const raw = (await find('sign', ref).pair()).signing.signDigest(digest, entropy.bytes(32))
      return marshaling === 'asn1' ? encodeEcdsaSignature(raw) : raw
    },
    async verify(ref, digest, signature, { marshaling }) {
      const { verifying } = await find('verify', ref).pair()
      const raw = marshaling === 'asn1' ? decodeEcdsaSignature(signature, FIELD_BYTES) : signature
      return raw !== undefined && verifying.verifyDigest(raw, digest)
    },
    async publicKey(ref) {
      return ecSpkiDer('P-256', (await find('publicKey', ref).pair()).signing.publicKey)
    },
  }
}

function openedOnce(crypto: CryptoBackend, seed: Uint8Array): () => Promise<FakeKeyPair> {
  let pair: FakeKeyPair | undefined
  return async () => {
    await NIST_CURVES.load()
    if (!pair) {
      // Pass a copy of the seed, because `ecdsaGenerate` overwrites the bytes.
      const scalar = crypto.ecdsaGenerate('P-256', () => seed.slice())
      const signing = crypto.ecdsaSign('P-256', scalar)
      pair = { signing, verifying: crypto.ecdsaVerify('P-256', signing.publicKey) }
    }
    return pair
  }
}
