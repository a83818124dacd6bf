/** How long a reader may keep a secret, by the secret's own members (source: behaviour of the originals). */
import { parseDuration } from '../../../core/base/duration.ts'
import { memberOf } from '../../../core/json/wide-object.ts'

/** Seconds: the member `ttl`, or in its absence `lease`, or the mount's value where that is no duration. */
export function leaseHint(secret: object, fallback: number): number {
  const hint = memberOf(secret, 'ttl') === undefined ? memberOf(secret, 'lease') : memberOf(secret, 'ttl')
  if (hint === undefined) return fallback
  if (hint === null) return 0
  if (typeof hint !== 'string' && typeof hint !== 'number') return fallback
  try {
    return parseDuration(hint, 'ttl')
  } catch {
    // The text is the user's data, so a text that is no duration is no mistake.
    return fallback
  }
}
