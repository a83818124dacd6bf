/** Validates the configuration of token reviews. */
import { invalid } from '../base/errors.ts'
import { readCertificate } from '../crypto/asn1/certificates.ts'
import { decodePems } from '../crypto/pem.ts'

/**
 * The maximum lengths of the host and of the reviewer's bearer token. They are limited because every review contains both: the host in its
 * URL and the bearer token in a header.
 */
export const MAX_HOST_CHARACTERS = 2048
export const MAX_REVIEWER_TOKEN_CHARACTERS = 16_384

/**
 * @param name The name of the parameter for error messages.
 * @throws KernelError 400 if the text contains no certificate or a malformed one
 */
export function checkAuthorities(text: string, name: string): void {
  const certificates = decodePems(['CERTIFICATE'], text, name)
  if (certificates.length === 0) throw invalid(`${name}: must contain a PEM certificate`)
  for (const der of certificates) readCertificate(der, name)
}
