/** RSA: keys, encodings and paddings. The platform does the arithmetic. */

export type { RsaArithmetic, RsaBits, RsaPort } from './arithmetic.ts'
export {
  readRsaPkcs8,
  readRsaSpki,
  rsaNumbersOf,
  rsaPkcs8,
  rsaPublicNumbersOf,
  rsaRestriction,
  rsaSpki,
} from './encoding.ts'
export { generateRsaKey } from './generate.ts'
export { bigintBytes, bytesBigint, checkedRsaNumbers, checkRsaPublic, type RsaNumbers, type RsaPublicNumbers } from './numbers.ts'
export type { Pkcs1Hash } from './pkcs1.ts'
export { RsaPrivateKey } from './private-key.ts'
export { maxPssSalt } from './pss.ts'
export { RsaPublicKey } from './public-key.ts'
export { checkRsaPort, withRsa } from './with-rsa.ts'
