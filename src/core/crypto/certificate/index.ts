/**
 * Certificates for clients: new keys, authorities, and what these sign. Certificates of servers are judged with their keys.
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
