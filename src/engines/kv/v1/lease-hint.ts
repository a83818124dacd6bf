/**
 * How long a reader may keep a secret, as the secret itself says (source: behaviour of the originals).
 */
import { parseDuration } from '../../../core/base/duration.ts'
import { memberOf } from '../../../core/json/wide-object.ts'

/** Seconds: the member `ttl`, where there is none `lease`, and where that is no duration what applies to the mount. */
export function leaseHint(secret: object, fallback: number): number {
  const hint = memberOf(secret, 'ttl') === undefined ? memberOf(secret, 'lease') : memberOf(secret, 'ttl')
  if (hint === undefined) return fallback
  if (hint === null) return 0
  if (typeof hint !== 'string' && typeof hint !== 'number') return fallback
  try {
    return parseDuration(hint, 'ttl')
  } catch {
    // It is the user's own text; that it means no duration is no mistake.
    return fallback
  }
}
