/** Reads and writes RSA keys: PKCS#1 inside PKCS#8 and SPKI (RFC 8017 appendix A.1, RFC 5280). */
import { invalid } from '../../base/errors.ts'
import { DerReader, SEQUENCE } from '../asn1/der-reader.ts'
import { type DerElement, encodeDer, sequence, unsigned } from '../asn1/der-writer.ts'
import { type KeyEnvelope, pkcs8, readPkcs8, readSpki, sameElement, spki } from '../asn1/envelopes.ts'
import { describeAlgorithm } from '../asn1/key-forms.ts'
import { NO_PARAMETERS, RSA_ENCRYPTION, RSA_OAEP, RSA_PSS } from '../asn1/object-ids.ts'
import { bigintBytes, bytesBigint, checkedRsaNumbers, checkRsaPublic, type RsaNumbers, type RsaPublicNumbers } from './numbers.ts'

/**
 * Reads a private key. A key that is restricted to one scheme is accepted too; {@link rsaRestriction} returns the scheme.
 * @throws KernelError 400
 */
export function readRsaPkcs8(der: Uint8Array, bits: number, what: string): RsaNumbers {
  const found = readPkcs8(der, what)
  checkRsa(found, what)
  const outer = new DerReader(found.key, what)
  const inner = outer.next(SEQUENCE)
  outer.end()
  // The first number is the version. Only version 0 means that the key has exactly two primes.
  if (inner.unsigned().length !== 0) throw inner.malformed()
  const [n, e, d, p, q, dp, dq, qInv] = Array.from({ length: 8 }, () => inner.unsigned()).map(checkedLength(bits, what))
  inner.end()
  return checkedRsaNumbers({ n, e, d, p, q, dp, dq, qInv } as RsaNumbers, bits, what)
}

/** Reads a public key. @throws KernelError 400 if it is not an RSA key of this size */
export function readRsaSpki(der: Uint8Array, bits: number, what: string): RsaPublicNumbers {
  const found = readSpki(der, what)
  checkRsa(found, what)
  const outer = new DerReader(found.key, what)
  const inner = outer.next(SEQUENCE)
  outer.end()
  const [n, e] = [inner.unsigned(), inner.unsigned()].map(checkedLength(bits, what)) as [bigint, bigint]
  inner.end()
  checkRsaPublic({ n, e }, bits, what)
  return { n, e }
}

/** Returns the components of a stored key without validating them again. `der` is neither kept nor changed. */
export const rsaNumbersOf = (der: Uint8Array): RsaNumbers => {
  const reader = new DerReader(readPkcs8(der, 'stored key').key, 'stored key').next(SEQUENCE)
  reader.unsigned()
  const [n, e, d, p, q, dp, dq, qInv] = Array.from({ length: 8 }, () => bytesBigint(reader.unsigned()))
  return { n, e, d, p, q, dp, dq, qInv } as RsaNumbers
}

/** The public components of a stored key, as SPKI DER. */
export const rsaPublicNumbersOf = (der: Uint8Array): RsaPublicNumbers => {
  const reader = new DerReader(readSpki(der, 'stored key').key, 'stored key').next(SEQUENCE)
  return { n: bytesBigint(reader.unsigned()), e: bytesBigint(reader.unsigned()) }
}

/** Encodes a private key as PKCS#8 DER. The caller owns and wipes it. */
export function rsaPkcs8({ n, e, d, p, q, dp, dq, qInv }: RsaNumbers): Uint8Array {
  const magnitudes = [n, e, d, p, q, dp, dq, qInv].map((number) => bigintBytes(number))
  const numbers: DerElement[] = magnitudes.map(unsigned)
  const der = encodeDer(pkcs8(RSA_ENCRYPTION, NO_PARAMETERS, sequence(unsigned(new Uint8Array(1)), ...numbers)))
  for (const bytes of magnitudes) bytes.fill(0)
  return der
}

export const rsaSpki = ({ n, e }: RsaPublicNumbers): Uint8Array =>
  encodeDer(spki(RSA_ENCRYPTION, NO_PARAMETERS, sequence(unsigned(bigintBytes(n)), unsigned(bigintBytes(e)))))

/** The only scheme that the key's algorithm identifier allows. Undefined if the key is not restricted. */
export function rsaRestriction({ algorithm }: KeyEnvelope): 'RSASSA-PSS' | 'RSAES-OAEP' | undefined {
  if (sameElement(algorithm, RSA_PSS)) return 'RSASSA-PSS'
  return sameElement(algorithm, RSA_OAEP) ? 'RSAES-OAEP' : undefined
}

/** The parameters may be absent, because some tools omit the NULL that RFC 8017 requires. */
function checkRsa(found: KeyEnvelope, what: string): void {
  if (rsaRestriction(found)) return
  if (!sameElement(found.algorithm, RSA_ENCRYPTION))
    throw invalid(`${what}: must be an RSA key, but is ${describeAlgorithm(found)}`)
  if (found.parameters.length > 0 && !sameElement(found.parameters, NO_PARAMETERS))
    throw invalid(`${what}: the algorithm identifier of an RSA key must not have parameters`)
}

/** Converts a component to a bigint. No valid component is longer than the modulus, so refuse a longer one before the slow conversion. */
const checkedLength =
  (bits: number, what: string) =>
  (magnitude: Uint8Array): bigint => {
    if (magnitude.length > bits / 8)
      throw invalid(`${what}: the RSA modulus must have ${bits} bits, and no other number may be longer`)
    return bytesBigint(magnitude)
  }
