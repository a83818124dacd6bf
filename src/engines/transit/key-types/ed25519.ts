/**
 * Pure Ed25519, RFC 8032 (source: behaviour of the originals). The key is 64 bytes: seed, then public key; derived rings take all of it as
 * input and derive a seed per context. Hash, prehashed and signature algorithm mean nothing here, as in the originals.
 * Room: engines/transit/key-types. Imported by the table.
 */
import { encodeBase64 } from '../../../core/base64.ts'
import {
  type CryptoBackend,
  type Ed25519SignKey,
  SLICE_BYTES,
  type Steps,
  type VerifyKey,
  type Wipeable,
} from '../../../core/crypto/backend.ts'
import type { VersionKey } from '../material.ts'
import { deriveBytes } from './derive.ts'
import type { Derivation, KeyType, Signature } from './key-type.ts'

const SEED_BYTES = 32

class Ed25519Pair implements Wipeable {
  readonly signing: Ed25519SignKey
  readonly #crypto: CryptoBackend
  #verifying: VerifyKey | undefined

  constructor(crypto: CryptoBackend, seed: Uint8Array) {
    this.#crypto = crypto
    this.signing = crypto.ed25519Sign(seed)
  }

  get verifying(): VerifyKey {
    this.#verifying ??= this.#crypto.ed25519Verify(this.signing.publicKey)
    return this.#verifying
  }

  wipe(): void {
    this.signing.wipe()
  }
}

/** The pair to use and whether it lives for this call only. */
function pairFor(crypto: CryptoBackend, key: VersionKey, derivation: Derivation | undefined): Ed25519Pair {
  if (!derivation) return key.primitive as Ed25519Pair
  const seed = deriveBytes(crypto, key, { ...derivation, kdf: 1 }, SEED_BYTES)
  try {
    return new Ed25519Pair(crypto, seed)
  } finally {
    seed.fill(0)
  }
}

function* signSlowly(pair: Ed25519Pair, input: Uint8Array, derived: boolean): Steps<Signature> {
  try {
    const bytes = yield* pair.signing.signSteps(input)
    return derived ? { bytes, publicKey: pair.signing.publicKey.slice() } : { bytes }
  } finally {
    if (derived) pair.wipe()
  }
}

export const ed25519Type: KeyType = {
  shownAs: 'ed25519',
  sizes: undefined,
  upsert: false,
  derivation: true,
  convergent: false,
  macOnly: false,
  costs: { encrypt: 0, decrypt: 0, sign: 600, verify: 1500 },
  encryptor: undefined,
  signer: {
    sign: ({ crypto }, key, { input, derivation }) => {
      const pair = pairFor(crypto, key, derivation)
      if (input.length > SLICE_BYTES) return signSlowly(pair, input, derivation !== undefined)
      const bytes = pair.signing.sign(input)
      if (!derivation) return { bytes }
      const publicKey = pair.signing.publicKey.slice()
      pair.wipe()
      return { bytes, publicKey }
    },
    verify: ({ crypto }, key, { input, derivation }, signature) => {
      const pair = pairFor(crypto, key, derivation)
      const { verifying } = pair
      if (derivation) pair.wipe()
      return input.length > SLICE_BYTES ? verifying.verifySteps(signature, input) : verifying.verify(signature, input)
    },
    derivedPublicKey: ({ crypto }, key, derivation) => {
      const pair = pairFor(crypto, key, derivation)
      const publicKey = pair.signing.publicKey.slice()
      pair.wipe()
      return publicKey
    },
  },
  generate: ({ env }) => {
    const seed = env.entropy.bytes(SEED_BYTES)
    const signing = env.crypto.ed25519Sign(seed)
    const key = new Uint8Array(2 * SEED_BYTES)
    key.set(seed)
    key.set(signing.publicKey, SEED_BYTES)
    seed.fill(0)
    signing.wipe()
    return { key, publicKey: encodeBase64(key.subarray(SEED_BYTES)) }
  },
  open: (crypto, key) => new Ed25519Pair(crypto, key.subarray(0, SEED_BYTES)),
}
