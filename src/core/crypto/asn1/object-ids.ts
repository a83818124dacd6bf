/**
 * The object identifiers of key formats, as encoded elements.
 */
import { texts } from '../../base/texts.ts'
import type { CurveName } from '../backend.ts'

const oid = (hex: string): Uint8Array => texts.fromHex(hex)

/** 1.2.840.10045.2.1 (RFC 5480) */
export const EC_PUBLIC_KEY = /* @__PURE__ */ oid('06072a8648ce3d0201')
/** 1.2.840.113549.1.1.1 (RFC 8017) */
export const RSA_ENCRYPTION = /* @__PURE__ */ oid('06092a864886f70d010101')
/** 1.2.840.113549.1.1.7 (RFC 8017): a key that is meant for RSAES-OAEP alone. */
export const RSA_OAEP = /* @__PURE__ */ oid('06092a864886f70d010107')
/** 1.2.840.113549.1.1.10 (RFC 8017): a key that is meant for RSASSA-PSS alone, with the hash and salt in its parameters, if there are any. */
export const RSA_PSS = /* @__PURE__ */ oid('06092a864886f70d01010a')
/** 1.3.101.112 (RFC 8410) */
export const ED25519 = /* @__PURE__ */ oid('06032b6570')
/** What NSS takes for a curve when it writes an Ed25519 key as one of ECDSA: 1.3.6.1.4.1.11591.15.1 and 1.3.101.110. */
export const NSS_ED25519_CURVES: readonly Uint8Array[] = /* @__PURE__ */ [oid('06092b06010401da470f01'), oid('06032b656e')]

/** Curves that keys are read and written of. P-224 is for certificates alone. */
export type EcCurve = CurveName | 'P-224'

/** RFC 5480 section 2.1.1.1 */
export const CURVE_IDS: Readonly<Record<EcCurve, Uint8Array>> = {
  'P-224': /* @__PURE__ */ oid('06052b81040021'),
  'P-256': /* @__PURE__ */ oid('06082a8648ce3d030107'),
  'P-384': /* @__PURE__ */ oid('06052b81040022'),
  'P-521': /* @__PURE__ */ oid('06052b81040023'),
}

/** NULL, as the parameters of RSA keys are written. */
export const NO_PARAMETERS = /* @__PURE__ */ oid('0500')
