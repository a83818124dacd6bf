/**
 * The algorithm identifiers of signatures in certificates and certificate requests, and the hash for each kind of key. The choice of hashes
 * is Vault's. Sources: RFC 4055 section 5, RFC 5758 section 3.2, RFC 8410 section 3.
 */
import { texts } from '../../base/texts.ts'
import type { HashName } from '../backend.ts'
import type { EcCurve } from './object-ids.ts'

export interface X509SignatureAlgorithm {
  /** The DER-encoded AlgorithmIdentifier. */
  readonly algorithm: Uint8Array
  readonly hash: HashName
}

const x509 = (algorithm: string, hash: HashName): X509SignatureAlgorithm => ({ algorithm: texts.fromHex(algorithm), hash })

/** The algorithm identifiers of RSA with PKCS#1 v1.5, by the size of the hash in bits. */
export const RSA_X509 = {
  256: /* @__PURE__ */ x509('300d06092a864886f70d01010b0500', 'sha2-256'),
  384: /* @__PURE__ */ x509('300d06092a864886f70d01010c0500', 'sha2-384'),
  512: /* @__PURE__ */ x509('300d06092a864886f70d01010d0500', 'sha2-512'),
} as const

/** The hash is not used: pure Ed25519 signs the message itself. */
export const ED25519_X509 = /* @__PURE__ */ x509('300506032b6570', 'sha2-512')

const ECDSA_SHA256 = /* @__PURE__ */ x509('300a06082a8648ce3d040302', 'sha2-256')

export const ECDSA_X509: Readonly<Record<EcCurve, X509SignatureAlgorithm>> = {
  'P-224': ECDSA_SHA256,
  'P-256': ECDSA_SHA256,
  'P-384': /* @__PURE__ */ x509('300a06082a8648ce3d040303', 'sha2-384'),
  'P-521': /* @__PURE__ */ x509('300a06082a8648ce3d040304', 'sha2-512'),
}
