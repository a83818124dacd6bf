/**
 * Pure Ed25519 (RFC 8032). The stored key has 64 bytes: the seed, then the public key. Derived keys derive one seed per context from all 64
 * bytes. As in Vault, `hash_algorithm`, `prehashed` and `signature_algorithm` have no effect.
 */
import { SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import { ED25519_X509 } from '../../../core/crypto/asn1/signature-algorithms.ts'
import type { CryptoBackend, Ed25519SignKey, VerifyKey } from '../../../core/crypto/backend.ts'
import type { VersionKey } from '../material.ts'
import { deriveBytes } from './derive.ts'
import { ed25519Codec, ed25519Key } from './ed25519-codec.ts'
import type { Derivation, KeyFunctions, Signature } from './key-type.ts'
import { SigningPair } from './signing-pair.ts'

const SEED_BYTES = 32

type Ed25519Pair = SigningPair<Ed25519SignKey, VerifyKey>

function openPair(crypto: CryptoBackend, seed: Uint8Array): Ed25519Pair {
  const signing = crypto.ed25519Sign(seed)
  return new SigningPair(signing, () => crypto.ed25519Verify(signing.publicKey))
}

/** The pair for one call. A pair derived from a context must be wiped after the call. */
function pairFor(crypto: CryptoBackend, key: VersionKey, derivation: Derivation | undefined): Ed25519Pair {
  if (!derivation) return key.primitive as Ed25519Pair
  const seed = deriveBytes(crypto, key, { ...derivation, kdf: 1 }, SEED_BYTES)
  try {
    return openPair(crypto, seed)
  } finally {
    seed.fill(0)
  }
}

function* signInSteps(pair: Ed25519Pair, input: Uint8Array, derived: boolean): Steps<Signature> {
  try {
    const bytes = yield* pair.signing.signSteps(input)
    return derived ? { bytes, publicKey: pair.signing.publicKey.slice() } : { bytes }
  } finally {
    if (derived) pair.wipe()
  }
}

export const ED25519_FUNCTIONS: KeyFunctions = {
  encryptor: undefined,
  signer: {
    sign: ({ crypto }, key, { input, derivation }) => {
      const pair = pairFor(crypto, key, derivation)
      if (input.length > SLICE_BYTES) return signInSteps(pair, input, derivation !== undefined)
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
  x509: ED25519_X509,
  generate: ({ env }) => {
    const seed = env.entropy.bytes(SEED_BYTES)
    const made = ed25519Key(env.crypto, seed)
    seed.fill(0)
    return made
  },
  codec: ed25519Codec,
  open: (crypto, key) => openPair(crypto, key.subarray(0, SEED_BYTES)),
  openPublic: (crypto, key) => {
    const verifying = crypto.ed25519Verify(key)
    return new SigningPair(undefined, () => verifying)
  },
}
