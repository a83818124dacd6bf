/** Decides whether a token is valid at a given time, by Vault's rules. */
import { refuseLogin } from '../contract/login-refusal.ts'
import { memberOf } from '../json/wide-object.ts'
import type { Claims } from './jwt.ts'

/** The tolerances, in seconds. */
export interface Leeways {
  /** The lifetime of a token without `exp`, counted from its `iat` or `nbf`, whichever is later. */
  readonly afterBeginning: number
  /** The lifetime of a token that has only `exp`, counted back from `exp`. */
  readonly beforeEnd: number
  /** The tolerated difference between the issuer's clock and the kernel's clock. */
  readonly skew: number
}

export const LEEWAYS: Leeways = { afterBeginning: 150, beforeEnd: 150, skew: 60 }

/**
 * Whether a token has any of the claims `iat`, `nbf` and `exp`. A claim that is 0 or null counts as absent.
 * @throws KernelError 403 (`claims-malformed`) if a claim is not a finite number
 */
export const hasTimes = (claims: Claims): boolean => ['iat', 'nbf', 'exp'].some((name) => secondsOf(claims, name) !== 0)

/**
 * Checks the times of a token. A token without `iat`, `nbf` and `exp`, such as a token from a Kubernetes secret, never expires. If any of
 * these claims is present, the missing ones are computed from it. For example, a token with only `exp` is valid from `beforeEnd` seconds
 * before `exp`.
 * @throws KernelError 403 with the reason `not-yet-valid`, `expired`, `issued-in-future` or `claims-malformed`
 */
export function checkTimes(claims: Claims, nowMs: number, { afterBeginning, beforeEnd, skew }: Leeways = LEEWAYS): void {
  const issued = secondsOf(claims, 'iat')
  const begins = secondsOf(claims, 'nbf')
  const ends = secondsOf(claims, 'exp')
  if (issued === 0 && begins === 0 && ends === 0) return
  const now = nowMs / 1000
  const expires = ends || Math.max(issued, begins) + afterBeginning
  const notBefore = begins || issued || expires - beforeEnd
  if (now + skew < notBefore) throw refuseLogin('not-yet-valid')
  if (now - skew > expires) throw refuseLogin('expired')
  if (now + skew < issued) throw refuseLogin('issued-in-future')
}

/** A time in seconds since 1970, possibly with fractions. 0 if the claim is absent or null. */
function secondsOf(claims: Claims, name: string): number {
  const value = memberOf(claims, name) ?? 0
  if (typeof value !== 'number' && typeof value !== 'bigint') throw refuseLogin('claims-malformed')
  const seconds = Number(value)
  // Refuse a non-finite `exp`, because the token would never expire.
  if (!Number.isFinite(seconds)) throw refuseLogin('claims-malformed')
  return seconds
}
