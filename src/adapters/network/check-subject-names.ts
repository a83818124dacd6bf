import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/** Ignores the common name (RFC 9525): an authority of one's own signs clients, too, with user names there. */
export function checkSubjectNames(host: string, certificate: PeerCertificate): Error | undefined {
  if (certificate.subjectaltname) return checkServerIdentity(host, certificate)
  return Object.assign(new Error('the certificate has no subject alternative names'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
}
