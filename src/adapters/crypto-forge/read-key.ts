/** Reads keys like OpenSSL: any encoding that is valid, without a test of whether the numbers belong together. */
import { DerReader, SEQUENCE } from '../../core/crypto/asn1/der-reader.ts'
import { type KeyEnvelope, readPkcs8, readSpki, sameElement } from '../../core/crypto/asn1/envelopes.ts'
import { NO_PARAMETERS, RSA_ENCRYPTION } from '../../core/crypto/asn1/object-ids.ts'
import { bytesBigint, type RsaNumbers, type RsaPublicNumbers } from '../../core/crypto/rsa/numbers.ts'

/** The same limits as in OpenSSL. They bound the time of an operation. */
const MAX_MODULUS_BYTES = 2048
const MAX_EXPONENT_BYTES = 8

/** How many numbers follow the version in a private key. */
const PRIVATE_NUMBERS = 8

/** Undefined if it is not an RSA public key. */
export const readPublicKey = (spki: Uint8Array): RsaPublicNumbers | undefined =>
  undefinedOnError(() => {
    const [n, e] = numbersOf(readSpki(spki, 'key'), 2, false)
    return publicNumbers(n as bigint, e as bigint)
  })

/** Undefined if it is not an RSA private key with two primes. */
export const readPrivateKey = (pkcs8: Uint8Array): RsaNumbers | undefined =>
  undefinedOnError(() => {
    const numbers = numbersOf(readPkcs8(pkcs8, 'key'), PRIVATE_NUMBERS, true)
    const [n, e, d, p, q, dp, dq, qInv] = numbers as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint]
    const given = publicNumbers(n, e)
    return given && p > 1n && q > 1n ? { ...given, d, p, q, dp, dq, qInv } : undefined
  })

function publicNumbers(n: bigint, e: bigint): RsaPublicNumbers | undefined {
  const isUsable = n > 1n && n % 2n === 1n && e >= 3n && e % 2n === 1n && e < n && e >> BigInt(8 * MAX_EXPONENT_BYTES) === 0n
  return isUsable ? { n, e } : undefined
}

/** No valid number is longer than the modulus, so longer numbers are refused before their slow conversion. */
function numbersOf(found: KeyEnvelope, count: number, hasVersion: boolean): bigint[] {
  const { algorithm, parameters, key } = found
  const isPlain = parameters.length === 0 || sameElement(parameters, NO_PARAMETERS)
  if (!sameElement(algorithm, RSA_ENCRYPTION) || !isPlain) throw new TypeError('not an RSA key')
  const outer = new DerReader(key, 'key')
  const inner = outer.next(SEQUENCE)
  outer.end()
  if (hasVersion && inner.unsigned().length > 0) throw new TypeError('not a key with two primes')
  const magnitudes = Array.from({ length: count }, () => inner.unsigned())
  inner.end()
  const most = Math.min(MAX_MODULUS_BYTES, magnitudes[0]?.length ?? 0)
  if (magnitudes.some(({ length }) => length > most)) throw new TypeError('a number is too long')
  return magnitudes.map(bytesBigint)
}

function undefinedOnError<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
