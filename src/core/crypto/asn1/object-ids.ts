/** DER-encoded object identifiers of key algorithms and curves. */
import { texts } from '../../base/texts.ts'
import type { CurveName } from '../backend.ts'

const oid = (hex: string): Uint8Array => texts.fromHex(hex)

/** id-ecPublicKey: 1.2.840.10045.2.1 (RFC 5480). */
export const EC_PUBLIC_KEY = /* @__PURE__ */ oid('06072a8648ce3d0201')
/** rsaEncryption: 1.2.840.113549.1.1.1 (RFC 8017). */
export const RSA_ENCRYPTION = /* @__PURE__ */ oid('06092a864886f70d010101')
/** 1.2.840.113549.1.1.7 (RFC 8017): a key that may only be used for RSAES-OAEP. */
export const RSA_OAEP = /* @__PURE__ */ oid('06092a864886f70d010107')
/**
 * 1.2.840.113549.1.1.10 (RFC 8017): a key that may only be used for RSASSA-PSS, optionally with the hash and salt length in its parameters.
 */
export const RSA_PSS = /* @__PURE__ */ oid('06092a864886f70d01010a')
/** id-Ed25519: 1.3.101.112 (RFC 8410). */
export const ED25519_OID = /* @__PURE__ */ oid('06032b6570')
/**
 * NSS writes Ed25519 keys as elliptic-curve keys with one of two object identifiers as the curve: 1.3.6.1.4.1.11591.15.1 or 1.3.101.110.
 */
export const NSS_ED25519_CURVES: readonly Uint8Array[] = /* @__PURE__ */ [oid('06092b06010401da470f01'), oid('06032b656e')]

/** P-224 is supported only for certificates. */
export type EcCurve = CurveName | 'P-224'

/** The named curves in RFC 5480 section 2.1.1.1. */
export const CURVE_IDS: Readonly<Record<EcCurve, Uint8Array>> = {
  'P-224': /* @__PURE__ */ oid('06052b81040021'),
  'P-256': /* @__PURE__ */ oid('06082a8648ce3d030107'),
  'P-384': /* @__PURE__ */ oid('06052b81040022'),
  'P-521': /* @__PURE__ */ oid('06052b81040023'),
}

/** The value NULL, which is the parameter of RSA algorithm identifiers. */
export const NO_PARAMETERS = /* @__PURE__ */ oid('0500')
