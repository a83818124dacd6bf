/**
 * Whether a token is good at a time (source: behaviour of the originals).
 */
import { refuseLogin } from '../../../core/contract/login-refusal.ts'
import { memberOf } from '../../../core/json/wide-object.ts'
import type { Claims } from './parse.ts'

/** How long a token is taken to be good where it says only when it begins or only when it ends. */
const SUBSTITUTE = 150

/** By how much clocks may differ. */
const LEEWAY = 60

/**
 * A token without any of the three times has no end: those that are kept as secrets are so. Where there is one, those that lack are
 * worked out from it: so a token that only says when it ends is good from shortly before that on, and not earlier.
 * @throws KernelError 403, its reason `not-yet-valid`, `expired`, `issued-in-future` or `claims-malformed`
 */
export function checkTimes(claims: Claims, nowMs: number): void {
  const issued = secondsOf(claims, 'iat')
  const begins = secondsOf(claims, 'nbf')
  const ends = secondsOf(claims, 'exp')
  if (issued === 0 && begins === 0 && ends === 0) return
  const now = nowMs / 1000
  const expires = ends || Math.max(issued, begins) + SUBSTITUTE
  const notBefore = begins || issued || expires - SUBSTITUTE
  if (now + LEEWAY < notBefore) throw refuseLogin('not-yet-valid')
  if (now - LEEWAY > expires) throw refuseLogin('expired')
  if (now + LEEWAY < issued) throw refuseLogin('issued-in-future')
}

/** Seconds since 1970, fractions too; 0 where it is absent or null. */
function secondsOf(claims: Claims, name: string): number {
  const value = memberOf(claims, name) ?? 0
  if (typeof value !== 'number' && typeof value !== 'bigint') throw refuseLogin('claims-malformed')
  return Number(value)
}
