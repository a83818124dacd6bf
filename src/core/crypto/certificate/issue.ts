import type { Entropy } from '../../base/entropy.ts'
import { invalid } from '../../base/errors.ts'
import { readSpki } from '../asn1/envelopes.ts'
import { certificateInfo, signedCertificate } from '../asn1/write-certificate.ts'
import type { CryptoBackend } from '../backend.ts'
import type { CertificateAuthority } from './certificate-authority.ts'

const SERIAL_BYTES = 20

/** The validity of a certificate begins this long before its creation, so that servers with slow clocks accept the certificate. */
const BACKDATE_MS = 30_000

/** The maximum length of a common name, ub-common-name (RFC 5280 appendix A.1). */
const MAX_COMMON_NAME_CHARACTERS = 64

/** The latest possible end of validity: the end of the year 9999. */
const MAX_NOT_AFTER_MS = 253_402_300_799_999

export interface ClientCertificateOptions {
  /** The common name. It must pass {@link checkCommonName}. */
  readonly commonName: string
  /** The public key as SubjectPublicKeyInfo in DER. */
  readonly spki: Uint8Array
  /** The start and the end of the validity, in milliseconds since the Unix epoch. */
  readonly now: number
  readonly notAfter: number
}

/** @throws KernelError 400 if the name is empty, has more than 64 characters or contains control characters */
export function checkCommonName(commonName: string, what: string): void {
  const { length } = [...commonName]
  if (length === 0 || length > MAX_COMMON_NAME_CHARACTERS)
    throw invalid(`${what}: the common name must have 1 to ${MAX_COMMON_NAME_CHARACTERS} characters`)
  if (/\p{Cc}/u.test(commonName)) throw invalid(`${what}: the common name must not have control characters`)
}

/**
 * Issues a certificate for client authentication and returns its DER. The certificate has a random serial number, and its validity begins 30
 * seconds before `now`.
 */
export function issueClientCertificate(
  crypto: CryptoBackend,
  entropy: Entropy,
  authority: CertificateAuthority,
  { commonName, spki, now, notAfter }: ClientCertificateOptions,
): Uint8Array {
  const serial = entropy.bytes(SERIAL_BYTES)
  // A random serial number. It is positive and always has the same length.
  serial[0] = ((serial[0] as number) & 0x3f) | 0x40
  const info = certificateInfo({
    serial,
    algorithm: authority.algorithm,
    issuer: authority.certificate.subject,
    issuerKeyId: authority.certificate.subjectKeyId,
    notBefore: now - BACKDATE_MS,
    notAfter: Math.min(notAfter, MAX_NOT_AFTER_MS),
    commonName,
    spki,
    // The key identifier: method 1 of RFC 5280 section 4.2.1.2.
    subjectKeyId: crypto.hash('sha1').digest(readSpki(spki, 'public key').key),
  })
  return signedCertificate(info, authority.algorithm, authority.sign(info))
}

/** Matches the characters that must be escaped, including a space at either end and a number sign at the start. */
const RESERVED = /[,+"\\<>;=]|^[ #]| $/g

/** The text form of a subject that contains only a common name (RFC 4514 section 2.4). */
export const subjectText = (commonName: string): string => `CN=${commonName.replaceAll(RESERVED, '\\$&')}`
