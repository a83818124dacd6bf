/** ECDSA on the NIST curves. The stored key is the private scalar, big-endian. */
import type { Entropy } from '../../../core/base/entropy.ts'
import { invalid } from '../../../core/base/errors.ts'
import { mapOutcome, type Steps } from '../../../core/base/steps.ts'
import { readEcSpki } from '../../../core/crypto/asn1/ec-keys.ts'
import { ECDSA_X509 } from '../../../core/crypto/asn1/signature-algorithms.ts'
import { type CurveName, type EcdsaSignKey, type EcdsaVerifyKey, HEDGE_BYTES } from '../../../core/crypto/backend.ts'
import { decodeEcdsaSignature, encodeEcdsaSignature } from '../../../core/crypto/ecdsa-der.ts'
import { ecSpkiPem } from '../../../core/crypto/spki.ts'
import type { VersionKey } from '../material.ts'
import { ecdsaCodec } from './ecdsa-codec.ts'
import { inputHash } from './hashed-input.ts'
import type { KeyFunctions, Signature, SignJob } from './key-type.ts'
import { SigningPair } from './signing-pair.ts'

type EcdsaPair = SigningPair<EcdsaSignKey, EcdsaVerifyKey>

const pairOf = (key: VersionKey): EcdsaPair => key.primitive as EcdsaPair

/** Returns r || s. */
function signJobInput(key: EcdsaSignKey, job: SignJob, entropy: Entropy): Uint8Array | Steps<Uint8Array> {
  const hash = inputHash(job)
  if (!hash) return key.signDigest(job.input, entropy.bytes(HEDGE_BYTES))
  return !job.sync && job.input.length > key.shortBytes
    ? key.signMessageSteps(job.input, hash, entropy)
    : key.signMessage(job.input, hash, entropy)
}

/** @param raw The signature as r || s. */
function verifyJobInput(key: EcdsaVerifyKey, job: SignJob, raw: Uint8Array): boolean | Steps<boolean> {
  const hash = inputHash(job)
  if (!hash) return key.verifyDigest(raw, job.input)
  return !job.sync && job.input.length > key.shortBytes
    ? key.verifyMessageSteps(raw, job.input, hash)
    : key.verifyMessage(raw, job.input, hash)
}

/** @param fieldBytes The size of a coordinate. */
export function ecdsaFunctions(curve: CurveName, fieldBytes: number): KeyFunctions {
  return {
    encryptor: undefined,
    signer: {
      sign: ({ entropy }, key, job) =>
        mapOutcome(
          signJobInput(pairOf(key).signing, job, entropy),
          (raw): Signature => ({ bytes: job.marshaling === 'asn1' ? encodeEcdsaSignature(raw) : raw }),
        ),
      verify: (_env, key, job, signature) => {
        const raw = job.marshaling === 'asn1' ? decodeEcdsaSignature(signature, fieldBytes) : signature
        return raw !== undefined && verifyJobInput(pairOf(key).verifying, job, raw)
      },
    },
    x509: ECDSA_X509[curve],
    agreement: {
      secret: (key, peerSpki, what) => {
        const secret = pairOf(key).signing.agree(readEcSpki(curve, peerSpki, what))
        if (!secret) throw invalid(`${what}: must be a point of ${curve}`)
        return secret
      },
    },
    generate: ({ env }) => {
      const key = env.crypto.ecdsaGenerate(curve, (n) => env.entropy.bytes(n))
      const signing = env.crypto.ecdsaSign(curve, key)
      const publicKey = ecSpkiPem(curve, signing.publicKey)
      signing.wipe()
      return { key, publicKey }
    },
    open: (crypto, key) => {
      const signing = crypto.ecdsaSign(curve, key)
      return new SigningPair(signing, () => crypto.ecdsaVerify(curve, signing.publicKey))
    },
    codec: ecdsaCodec(curve, fieldBytes),
    openPublic: (crypto, point) => {
      const verifying = crypto.ecdsaVerify(curve, point)
      return new SigningPair(undefined, () => verifying)
    },
  }
}
