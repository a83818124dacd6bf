/**
 * Client certificates: generates keys, reads certificate authorities, and issues certificates. Also reads the certificate and key of a
 * server.
 */
export {
  type CertificateAuthority,
  type KeyPairPems,
  openAuthority,
  SIGNATURE_BITS,
  type SignatureBits,
} from './certificate-authority.ts'
export { type ClientCertificateOptions, checkCommonName, issueClientCertificate, subjectText } from './issue.ts'
export { readKeyPair } from './key-pair.ts'
export { KEY_FAMILIES, type KeyFamily, makeRsaSubjectKey, makeSubjectKey, type SubjectKey } from './subject-key.ts'
