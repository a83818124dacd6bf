/** Whether a token is valid at a given time (source: behaviour of the originals). */
import { refuseLogin } from '../contract/login-refusal.ts'
import { memberOf } from '../json/wide-object.ts'
import type { Claims } from './jwt.ts'

/** Seconds that times are judged with. */
export interface Leeways {
  /** From the beginning of a token without an end to its end. */
  readonly afterBeginning: number
  /** From the beginning of a token without a beginning to its end. */
  readonly beforeEnd: number
  /** By which clocks may differ. */
  readonly skew: number
}

export const LEEWAYS: Leeways = { afterBeginning: 150, beforeEnd: 150, skew: 60 }

/** Whether a token has any of the three times; 0 and null count as absent. @throws KernelError 403 (`claims-malformed`) */
export const hasTimes = (claims: Claims): boolean => ['iat', 'nbf', 'exp'].some((name) => secondsOf(claims, name) !== 0)

/**
 * A token without any of the three times never expires: tokens kept as secrets are like that. Where one time is given, the
 * missing ones are computed from it: a token with only an end is valid from shortly before that end, and not earlier.
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

/** Seconds since 1970, with fractions; 0 where the claim is absent or null. */
function secondsOf(claims: Claims, name: string): number {
  const value = memberOf(claims, name) ?? 0
  if (typeof value !== 'number' && typeof value !== 'bigint') throw refuseLogin('claims-malformed')
  const seconds = Number(value)
  // An end that is no finite number would never come.
  if (!Number.isFinite(seconds)) throw refuseLogin('claims-malformed')
  return seconds
}
