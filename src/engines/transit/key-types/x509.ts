/**
 * How signatures of each family are named in certificate requests, and the hash they take (source: behaviour of the originals). Sources:
 * RFC 4055 section 5, RFC 5758 section 3.2, RFC 8410 section 3.
 */
import type { CurveName, HashName } from '../../../core/crypto/backend.ts'

export interface X509 {
  /** AlgorithmIdentifier, an encoded element. */
  readonly algorithm: Uint8Array
  readonly hash: HashName
}

const x509 = (algorithm: string, hash: HashName): X509 => ({ algorithm: Uint8Array.from(Buffer.from(algorithm, 'hex')), hash })

/** sha256WithRSAEncryption */
export const RSA_X509 = /* @__PURE__ */ x509('300d06092a864886f70d01010b0500', 'sha2-256')

/** Pure: the hash has no say. */
export const ED25519_X509 = /* @__PURE__ */ x509('300506032b6570', 'sha2-512')

export const ECDSA_X509: Readonly<Record<CurveName, X509>> = {
  'P-256': /* @__PURE__ */ x509('300a06082a8648ce3d040302', 'sha2-256'),
  'P-384': /* @__PURE__ */ x509('300a06082a8648ce3d040303', 'sha2-384'),
  'P-521': /* @__PURE__ */ x509('300a06082a8648ce3d040304', 'sha2-512'),
}
