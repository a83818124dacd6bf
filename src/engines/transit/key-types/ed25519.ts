/**
 * Pure Ed25519 (RFC 8032). The stored key has 64 bytes: the seed, then the public key. Derived keys derive one seed per context from all 64
 * bytes. As in Vault, `hash_algorithm`, `prehashed` and `signature_algorithm` have no effect.
 */
import { SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import { ED25519_X509 } from '../../../core/crypto/asn1/signature-algorithms.ts'
import type { CryptoBackend, Ed25519SignKey, VerifyKey } from '../../../core/crypto/backend.ts'
import type { PinnedKey } from '../../../core/crypto/key-cache.ts'
import { unpinAfter } from '../derived-keys.ts'
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

/** Returns the pair that is derived for the context. The caller must unpin it. */
const derivedPair = (crypto: CryptoBackend, key: VersionKey, derivation: Derivation): PinnedKey<Ed25519Pair> =>
  key.derived(derivation.context, () => {
    const seed = deriveBytes(key, { ...derivation, kdf: 1 }, SEED_BYTES)
    try {
      return openPair(crypto, seed)
    } finally {
      seed.fill(0)
    }
  })

/** Calls `use` with the pair of the version, or with the pair that is derived for the context. */
function withPair<T>(
  crypto: CryptoBackend,
  key: VersionKey,
  derivation: Derivation | undefined,
  use: (pair: Ed25519Pair) => T | Steps<T>,
): T | Steps<T> {
  if (!derivation) return use(key.primitive as Ed25519Pair)
  const derived = derivedPair(crypto, key, derivation)
  return unpinAfter(derived, () => use(derived.value))
}

function* signInSteps(pair: Ed25519Pair, input: Uint8Array, derived: boolean): Steps<Signature> {
  return signatureOf(pair, yield* pair.signing.signSteps(input), derived)
}

const signatureOf = ({ signing }: Ed25519Pair, bytes: Uint8Array, derived: boolean): Signature =>
  derived ? { bytes, publicKey: signing.publicKey.slice() } : { bytes }

export const ED25519_FUNCTIONS: KeyFunctions = {
  encryptor: undefined,
  signer: {
    sign: ({ crypto }, key, { input, derivation }) =>
      withPair(crypto, key, derivation, (pair) =>
        input.length > SLICE_BYTES
          ? signInSteps(pair, input, derivation !== undefined)
          : signatureOf(pair, pair.signing.sign(input), derivation !== undefined),
      ),
    verify: ({ crypto }, key, { input, derivation }, signature) =>
      withPair(crypto, key, derivation, ({ verifying }) =>
        input.length > SLICE_BYTES ? verifying.verifySteps(signature, input) : verifying.verify(signature, input),
      ),
    derivedPublicKey: ({ crypto }, key, derivation) => {
      const derived = derivedPair(crypto, key, derivation)
      const publicKey = derived.value.signing.publicKey.slice()
      derived.unpin()
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
