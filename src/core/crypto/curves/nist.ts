/** The code of the NIST curves. Only `curve-code.ts` imports this module. */
import type { ConcurrencyLimit } from '../accelerated/concurrency-limit.ts'
import { AcceleratedSignKey, AcceleratedVerifyKey } from '../accelerated/ecdsa.ts'
import type { Subtle } from '../accelerated/subtle.ts'
import type { EcCurve } from '../asn1/object-ids.ts'
import type { CurveName, EcdsaSignKey, EcdsaVerifyKey } from '../backend.ts'
import { NobleEcdsaSignKey, NobleEcdsaVerifyKey } from '../noble/ecdsa.ts'

export { nobleEcdsaGenerate as ecdsaGenerate } from '../noble/ecdsa.ts'

/** @throws KernelError 400 if the scalar is not between 1 and order - 1 */
export const ecdsaSign = (curve: EcCurve, scalar: Uint8Array): EcdsaSignKey => new NobleEcdsaSignKey(curve, scalar)

/** @throws KernelError 400 if the point is not on the curve */
export const ecdsaVerify = (curve: CurveName, publicKey: Uint8Array): EcdsaVerifyKey => new NobleEcdsaVerifyKey(curve, publicKey)

/** Like {@link ecdsaSign}, for keys that also use WebCrypto. */
export const acceleratedEcdsaSign = (
  curve: CurveName,
  scalar: Uint8Array,
  subtle: Subtle,
  limit: ConcurrencyLimit,
): EcdsaSignKey => new AcceleratedSignKey(curve, scalar, subtle, limit)

/** Like {@link ecdsaVerify}, for keys that also use WebCrypto. */
export const acceleratedEcdsaVerify = (
  curve: CurveName,
  publicKey: Uint8Array,
  subtle: Subtle,
  limit: ConcurrencyLimit,
): EcdsaVerifyKey => new AcceleratedVerifyKey(curve, publicKey, subtle, limit)
