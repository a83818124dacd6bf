import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/**
 * Requires a subject alternative name and ignores the common name (RFC 9525). A private authority also signs client certificates, whose
 * common names are user names, so a common name does not prove the name of a host.
 */
export function checkSubjectNames(host: string, certificate: PeerCertificate): Error | undefined {
  if (certificate.subjectaltname) return checkServerIdentity(host, certificate)
  return Object.assign(new Error('the certificate has no subject alternative names'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
}
