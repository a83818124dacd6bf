/**
 * Certificates for clients: new keys, authorities, and what these sign. Certificates of servers are judged with their keys.
 */
export { type Authority, type AuthorityPems, openAuthority, SIGNATURE_BITS, type SignatureBits } from './authority.ts'
export { type CertificateWish, checkCommonName, issueClientCertificate, subjectText } from './issue.ts'
export { readKeyPair } from './key-pair.ts'
export { KEY_FAMILIES, type KeyFamily, makeRsaSubjectKey, makeSubjectKey, type SubjectKey } from './subject-key.ts'
