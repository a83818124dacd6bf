/**
 * RSA: the only place that asks node:crypto for it. Room: core/crypto. Imported by the RSA key types and by key import and export.
 * noble has no RSA and node-forge's is slow and not constant time; this is therefore outside the `CryptoBackend` and always OpenSSL.
 */
export {
  readRsaPkcs8,
  readRsaSpki,
  rsaNumbersOf,
  rsaPkcs8,
  rsaPublicNumbersOf,
  rsaSpki,
} from './encoding.ts'
export { generateRsaKey, type RsaBits } from './generate.ts'
export { bigintBytes, bytesBigint, checkedRsaNumbers, checkRsaPublic, type RsaNumbers, type RsaPublicNumbers } from './numbers.ts'
export type { Pkcs1Hash } from './pkcs1.ts'
export { RsaPrivateKey } from './private-key.ts'
export { maxPssSalt } from './pss.ts'
export { RsaPublicKey } from './public-key.ts'
