/** What a configuration says about reviews: its limits, and the certificates that an API server is known by. */
import { invalid } from '../base/errors.ts'
import { readCertificate } from '../crypto/asn1/certificates.ts'
import { decodePems } from '../crypto/pem.ts'

/** The longest values: both go into every review, in a URL and a header. */
export const MAX_HOST_CHARACTERS = 2048
export const MAX_REVIEWER_TOKEN_CHARACTERS = 16_384

/**
 * @param name Of the parameter, for refusals.
 * @throws KernelError 400 for a text without a certificate, or with a malformed one
 */
export function checkAuthorities(text: string, name: string): void {
  const certificates = decodePems(['CERTIFICATE'], text, name)
  if (certificates.length === 0) throw invalid(`${name}: holds no PEM certificate`)
  for (const der of certificates) readCertificate(der, name)
}
