/** Reads key sets (RFC 7517). Supported are RSA keys and keys on the curves P-256, P-384 and P-521 (RFC 7518 section 6). */
import { decodeBase64Url } from '../base/base64.ts'
import { invalid } from '../base/errors.ts'
import type { CryptoBackend, CurveName } from '../crypto/backend.ts'
import { CurvesNotLoadedError } from '../crypto/curves/curve-code.ts'
import { bytesBigint, RsaPublicKey, rsaSpki } from '../crypto/rsa/index.ts'
import { ALGORITHMS } from './algorithms.ts'
import { type KeyWithId, MAX_RSA_BITS, MIN_RSA_BITS, VerificationKeys } from './verification-keys.ts'

/** The maximum length of a document. For comparison: a set of ten RSA keys has 5,000 characters. */
const MAX_DOCUMENT_CHARACTERS = 262_144

/** The maximum number of keys in a set. The limit is needed because a login tries all keys in the worst case. */
const MAX_KEYS = 32

const FIELD_BYTES: Readonly<Record<CurveName, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 }

type Jwk = Readonly<Record<string, unknown>>

/** Parses a document. @throws KernelError 400 if it is not a JSON object */
export function readDocument(text: string, what: string): Jwk {
  if (text.length > MAX_DOCUMENT_CHARACTERS) throw invalid(`${what}: must have at most ${MAX_DOCUMENT_CHARACTERS} characters`)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw invalid(`${what}: must be JSON`)
  }
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document as Jwk
  throw invalid(`${what}: must be an object`)
}

/**
 * The keys in a set that verify signatures. Keys for other uses, keys of other types and malformed keys are skipped (RFC 7517 section 5).
 * @throws KernelError 400 if the document contains no usable key; CurvesNotLoadedError if it has ECDSA keys and their code is not loaded
 */
export function readKeySet(text: string, crypto: CryptoBackend): VerificationKeys {
  const { keys } = readDocument(text, 'key set')
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw invalid(`key set: must have a list of at most ${MAX_KEYS} keys`)
  const rsa: KeyWithId<RsaPublicKey>[] = []
  const ecdsa = new Map<CurveName, KeyWithId<ReturnType<CryptoBackend['ecdsaVerify']>>[]>()
  for (const jwk of keys as readonly unknown[])
    try {
      if (!isForSignatures(jwk)) continue
      const id = String(jwk['kid'] ?? '')
      const curve = curveOf(jwk)
      if (curve) ecdsa.set(curve, [...(ecdsa.get(curve) ?? []), { key: crypto.ecdsaVerify(curve, pointOf(jwk, curve)), id }])
      else if (jwk['kty'] === 'RSA') rsa.push({ key: rsaKeyOf(jwk, crypto), id })
    } catch (thrown) {
      if (thrown instanceof CurvesNotLoadedError) throw thrown
      // Skip only this key; the other keys can still be used.
    }
  if (rsa.length + ecdsa.size === 0) throw invalid('key set: must have a key that verifies signatures')
  return VerificationKeys.from(crypto, rsa, ecdsa)
}

function isForSignatures(jwk: unknown): jwk is Jwk {
  if (typeof jwk !== 'object' || jwk === null) return false
  const { use, key_ops: operations, alg } = jwk as Jwk
  if (use !== undefined && use !== 'sig') return false
  if (Array.isArray(operations) && !operations.includes('verify')) return false
  return alg === undefined || ALGORITHMS.has(alg)
}

const curveOf = ({ kty, crv }: Jwk): CurveName | undefined =>
  kty === 'EC' && typeof crv === 'string' && Object.hasOwn(FIELD_BYTES, crv) ? (crv as CurveName) : undefined

function bytesIn(jwk: Jwk, name: string): Uint8Array {
  const text = jwk[name]
  if (typeof text !== 'string' || text.length > MAX_RSA_BITS / 4) throw invalid(`key set: a key has no ${name}`)
  return decodeBase64Url(text, name)
}

function pointOf(jwk: Jwk, curve: CurveName): Uint8Array {
  const [x, y] = [bytesIn(jwk, 'x'), bytesIn(jwk, 'y')]
  const size = FIELD_BYTES[curve]
  if (x.length !== size || y.length !== size) throw invalid('key set: a coordinate has a wrong length')
  return Uint8Array.of(4, ...x, ...y)
}

function rsaKeyOf(jwk: Jwk, { rsa }: CryptoBackend): RsaPublicKey {
  const [n, e] = [bytesIn(jwk, 'n'), bytesIn(jwk, 'e')].map(bytesBigint) as [bigint, bigint]
  const key = RsaPublicKey.fromSpki(rsaSpki({ n, e }), rsa)
  if (key.modulusBits < MIN_RSA_BITS || key.modulusBits > MAX_RSA_BITS || e < 3n || e >= 2n ** 32n)
    throw invalid('key set: an RSA key has a wrong size')
  return key
}
