/** RSA: OAEP with SHA-256, PSS and PKCS#1 v1.5. The stored key is PKCS#8 DER. */
import { invalid } from '../../../core/base/errors.ts'
import { mapOutcome, SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import { RSA_X509 } from '../../../core/crypto/asn1/signature-algorithms.ts'
import type { HashName, Wipeable } from '../../../core/crypto/backend.ts'
import { generateRsaKey, maxPssSalt, type RsaBits, RsaPrivateKey, RsaPublicKey } from '../../../core/crypto/rsa/index.ts'
import { noPrivateHalf, type VersionKey } from '../material.ts'
import { inputHash, withDigest } from './hashed-input.ts'
import type { Encryptor, KeyFunctions, Signature, Signer, SignJob } from './key-type.ts'
import { rsaCodec } from './rsa-codec.ts'

/** A key pair, or only the public half. */
class RsaPair implements Wipeable {
  readonly publicKey: RsaPublicKey
  readonly #own: RsaPrivateKey | undefined

  constructor(own: RsaPrivateKey | undefined, publicKey: RsaPublicKey) {
    this.#own = own
    this.publicKey = publicKey
  }

  /** @throws KernelError 400 if the version has only a public key */
  get own(): RsaPrivateKey {
    if (!this.#own) throw noPrivateHalf()
    return this.#own
  }

  wipe(): void {
    this.#own?.wipe()
  }
}

const pairOf = (key: VersionKey): RsaPair => key.primitive as RsaPair

const encryptor: Encryptor = {
  aead: false,
  counted: false,
  seal: (_env, key, { plaintext }) => pairOf(key).publicKey.encryptOaep(plaintext),
  open: (_env, key, { sealed, sync }) => {
    const { own } = pairOf(key)
    return sync ? own.decryptOaep(sealed) : own.decryptOaepSteps(sealed)
  },
}

const signer: Signer = {
  sign: (env, key, job) => {
    const { own } = pairOf(key)
    const pss = pssOf(env, job, own.publicKey.modulusBits)
    const whole = env.entropy.system && hashForWholeMessage(job)
    const signature = whole && own.signMessage({ hash: whole, salt: pss && (pss.salt ?? pss.longest) }, job.input)
    if (signature) return { bytes: signature }
    return withDigest<Signature>(env, job, (digest) => mapOutcome(signDigest(env, own, job, pss, digest), (bytes) => ({ bytes })))
  },
  verify: (env, key, job, signature) => {
    const { publicKey } = pairOf(key)
    const pss = pssOf(env, job, publicKey.modulusBits)
    const whole = hashForWholeMessage(job)
    const verdict = whole && publicKey.verifyMessage({ hash: whole, salt: pss && (pss.salt ?? 'any') }, job.input, signature)
    if (verdict !== undefined) return verdict
    return withDigest(env, job, (digest) =>
      pss
        ? publicKey.verifyPss(pss.hash, digest, signature, pss.salt ?? 'any')
        : publicKey.verifyPkcs1(job.hash, digest, signature),
    )
  },
}

function signDigest(
  { entropy }: Environment,
  own: RsaPrivateKey,
  { hash, sync }: SignJob,
  pss: Pss | undefined,
  digest: Uint8Array,
): Uint8Array | Steps<Uint8Array> {
  if (!pss) return sync ? own.signPkcs1(hash, digest) : own.signPkcs1Steps(hash, digest)
  const salt = pss.salt ?? pss.longest
  const random = (n: number) => entropy.bytes(n)
  return sync ? own.signPss(pss.hash, digest, salt, random) : own.signPssSteps(pss.hash, digest, salt, random)
}

/** Returns the hash if the message is short enough for the platform to hash and sign it in one call. Otherwise returns undefined. */
const hashForWholeMessage = (job: SignJob): HashName | undefined => (job.input.length > SLICE_BYTES ? undefined : inputHash(job))

interface Pss {
  readonly hash: HashName
  readonly longest: number
  /** The salt length in bytes; undefined means `auto`. */
  readonly salt: number | undefined
}

/** Returns the parameters of PSS; undefined for PKCS#1 v1.5. @throws KernelError 400 */
function pssOf({ crypto }: Environment, { algorithm, hash, salt }: SignJob, modulusBits: number): Pss | undefined {
  if (algorithm === 'pkcs1v15') return undefined
  if (algorithm !== '' && algorithm !== 'pss') throw invalid('signature_algorithm: must be pss or pkcs1v15')
  if (hash === 'none') throw invalid('hash_algorithm: none needs signature_algorithm pkcs1v15 and prehashed input')
  const longest = maxPssSalt(modulusBits, hash)
  // 0 means `auto`, since the signatures that Vault makes with 0 have the longest possible salt.
  if (salt === 'auto' || salt === 0) return { hash, longest, salt: undefined }
  const bytes = salt === 'hash' || salt === -1 ? crypto.hash(hash).length : salt
  if (bytes > longest) throw invalid(`salt_length: must be at most ${longest} for this key and hash`)
  return { hash, longest, salt: bytes }
}

export function rsaFunctions(bits: RsaBits): KeyFunctions {
  return {
    encryptor,
    signer,
    x509: RSA_X509[256],
    generate: (tx) => {
      const { rsa } = tx.env.crypto
      const der = tx.once(`rsa-${bits}`, () => generateRsaKey(bits, rsa))
      const own = RsaPrivateKey.fromPkcs8(der, rsa)
      const publicKey = own.publicKey.spkiPem()
      own.wipe()
      // Return a copy, because the receiver wipes it and a rerun of the transaction needs the same key again.
      return { key: der.slice(), publicKey }
    },
    open: ({ rsa }, key) => {
      const own = RsaPrivateKey.fromPkcs8(key, rsa)
      return new RsaPair(own, own.publicKey)
    },
    codec: rsaCodec(bits, (key) => pairOf(key).publicKey),
    openPublic: ({ rsa }, key) => new RsaPair(undefined, RsaPublicKey.fromSpki(key, rsa)),
  }
}
