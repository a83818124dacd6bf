/**
 * RSA: OAEP with SHA-256, PSS, PKCS#1 v1.5 (source: behaviour of the originals). The key is PKCS#8 DER.
 * Room: engines/transit/key-types. Imported by the table.
 */
import type { HashName } from '../../../core/crypto/backend.ts'
import { generateRsaKey, maxPssSalt, type RsaBits, RsaPrivateKey } from '../../../core/crypto/rsa/index.ts'
import { invalid } from '../../../core/errors.ts'
import type { Environment } from '../../../core/transaction/tx.ts'
import { withDigest } from './hashed-input.ts'
import type { Costs, Encryptor, KeyType, Signer, SignJob } from './key-type.ts'

const encryptor: Encryptor = {
  aead: false,
  seal: (_env, key, { plaintext }) => (key.primitive as RsaPrivateKey).publicKey.encryptOaep(plaintext),
  open: (_env, key, { sealed }) => (key.primitive as RsaPrivateKey).decryptOaep(sealed),
}

const signer: Signer = {
  sign: (env, key, job) => {
    const own = key.primitive as RsaPrivateKey
    const pss = pssOf(env, job, own.publicKey.modulusBits)
    return withDigest(env, job, (digest) => {
      if (!pss) return { bytes: own.signPkcs1(job.hash, digest) }
      return { bytes: own.signPss(pss.hash, digest, pss.salt ?? pss.longest, (n) => env.entropy.bytes(n)) }
    })
  },
  verify: (env, key, job, signature) => {
    const { publicKey } = key.primitive as RsaPrivateKey
    const pss = pssOf(env, job, publicKey.modulusBits)
    return withDigest(env, job, (digest) =>
      pss
        ? publicKey.verifyPss(pss.hash, digest, signature, pss.salt ?? 'any')
        : publicKey.verifyPkcs1(job.hash, digest, signature),
    )
  },
}

interface Pss {
  readonly hash: HashName
  readonly longest: number
  /** Bytes; undefined is `auto`. */
  readonly salt: number | undefined
}

/** Undefined for PKCS#1 v1.5. @throws KernelError 400 */
function pssOf({ crypto }: Environment, { algorithm, hash, salt }: SignJob, modulusBits: number): Pss | undefined {
  if (algorithm === 'pkcs1v15') return undefined
  if (algorithm !== '' && algorithm !== 'pss') throw invalid('signature_algorithm: must be pss or pkcs1v15')
  if (hash === 'none') throw invalid('hash_algorithm: none goes with signature_algorithm pkcs1v15 and prehashed input')
  const longest = maxPssSalt(modulusBits, hash)
  // 0 means auto, as in the originals: signatures made there with 0 have the longest salt.
  if (salt === 'auto' || salt === 0) return { hash, longest, salt: undefined }
  const bytes = salt === 'hash' || salt === -1 ? crypto.hash(hash).length : salt
  if (bytes > longest) throw invalid(`salt_length: must be at most ${longest} for this key and hash`)
  return { hash, longest, salt: bytes }
}

export function rsaType(bits: RsaBits, name: string, costs: Costs): KeyType {
  return {
    shownAs: name,
    sizes: undefined,
    upsert: false,
    derivation: false,
    convergent: false,
    macOnly: false,
    costs,
    encryptor,
    signer,
    generate: (tx) => {
      const der = tx.once(name, () => generateRsaKey(bits))
      const own = RsaPrivateKey.fromPkcs8(der)
      const publicKey = own.publicKey.spkiPem()
      own.wipe()
      // A run that is repeated after a conflict needs the same key again, and who gets this wipes it.
      return { key: der.slice(), publicKey }
    },
    open: (_crypto, key) => RsaPrivateKey.fromPkcs8(key),
  }
}
