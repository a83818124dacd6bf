/**
 * RSA keys as bytes: PKCS#1 inside PKCS#8 and SPKI (RFC 8017 appendix A.1, RFC 5280).
 */
import { invalid } from '../../base/errors.ts'
import { type Enveloped, pkcs8, readPkcs8, readSpki, sameElement, spki } from '../asn1/envelopes.ts'
import { NO_PARAMETERS, RSA_ENCRYPTION, RSA_PSS } from '../asn1/object-ids.ts'
import { DerReader, SEQUENCE } from '../asn1/read.ts'
import { type Element, encodeDer, sequence, unsigned } from '../asn1/write.ts'
import { bigintBytes, bytesBigint, checkedRsaNumbers, checkRsaPublic, type RsaNumbers, type RsaPublicNumbers } from './numbers.ts'

/** A private key under the identifier of PSS, without parameters, is taken as a plain one. @throws KernelError 400 */
export function readRsaPkcs8(der: Uint8Array, bits: number, what: string): RsaNumbers {
  const found = readPkcs8(der, what)
  const plain = isPlain(found) || (sameElement(found.algorithm, RSA_PSS) && found.parameters.length === 0)
  if (!plain) throw invalid(`${what}: is not an RSA key`)
  const outer = new DerReader(found.key, what)
  const inner = outer.next(SEQUENCE)
  outer.end()
  // Version 0 is the only one with two primes.
  if (inner.unsigned().length !== 0) throw inner.malformed()
  const [n, e, d, p, q, dp, dq, qInv] = Array.from({ length: 8 }, () => inner.unsigned()).map(checkedLength(bits, what))
  inner.end()
  return checkedRsaNumbers({ n, e, d, p, q, dp, dq, qInv } as RsaNumbers, bits, what)
}

/** @throws KernelError 400 for anything but a plain RSA key of this size. */
export function readRsaSpki(der: Uint8Array, bits: number, what: string): RsaPublicNumbers {
  const found = readSpki(der, what)
  if (!isPlain(found)) throw invalid(`${what}: is not an RSA key`)
  const outer = new DerReader(found.key, what)
  const inner = outer.next(SEQUENCE)
  outer.end()
  const [n, e] = [inner.unsigned(), inner.unsigned()].map(checkedLength(bits, what)) as [bigint, bigint]
  inner.end()
  checkRsaPublic({ n, e }, bits, what)
  return { n, e }
}

/** The numbers of a key that is stored here. `der` is read and not kept. */
export const rsaNumbersOf = (der: Uint8Array): RsaNumbers => {
  const reader = new DerReader(readPkcs8(der, 'stored key').key, 'stored key').next(SEQUENCE)
  reader.unsigned()
  const [n, e, d, p, q, dp, dq, qInv] = Array.from({ length: 8 }, () => bytesBigint(reader.unsigned()))
  return { n, e, d, p, q, dp, dq, qInv } as RsaNumbers
}

/** The public numbers of SPKI DER that is stored here. */
export const rsaPublicNumbersOf = (der: Uint8Array): RsaPublicNumbers => {
  const reader = new DerReader(readSpki(der, 'stored key').key, 'stored key').next(SEQUENCE)
  return { n: bytesBigint(reader.unsigned()), e: bytesBigint(reader.unsigned()) }
}

/** PKCS#8 DER, the caller's, who wipes it. */
export function rsaPkcs8({ n, e, d, p, q, dp, dq, qInv }: RsaNumbers): Uint8Array {
  const magnitudes = [n, e, d, p, q, dp, dq, qInv].map((number) => bigintBytes(number))
  const numbers: Element[] = magnitudes.map(unsigned)
  const der = encodeDer(pkcs8(RSA_ENCRYPTION, NO_PARAMETERS, sequence(unsigned(new Uint8Array(1)), ...numbers)))
  for (const bytes of magnitudes) bytes.fill(0)
  return der
}

export const rsaSpki = ({ n, e }: RsaPublicNumbers): Uint8Array =>
  encodeDer(spki(RSA_ENCRYPTION, NO_PARAMETERS, sequence(unsigned(bigintBytes(n)), unsigned(bigintBytes(e)))))

const isPlain = ({ algorithm, parameters }: Enveloped): boolean =>
  sameElement(algorithm, RSA_ENCRYPTION) && sameElement(parameters, NO_PARAMETERS)

/** No number of the key is longer than its modulus; a longer one would only cost time. */
const checkedLength =
  (bits: number, what: string) =>
  (magnitude: Uint8Array): bigint => {
    if (magnitude.length > bits / 8) throw invalid(`${what}: the RSA modulus must have ${bits} bits, not more`)
    return bytesBigint(magnitude)
  }
