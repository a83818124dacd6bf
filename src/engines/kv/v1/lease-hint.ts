import { parseDuration } from '../../../core/base/duration.ts'
import { memberOf } from '../../../core/json/wide-object.ts'

/**
 * Returns for how many seconds a reader may keep a secret, by Vault's rules: the member `ttl` of the secret, or else `lease`. If neither is
 * a duration, returns the fallback.
 */
export function leaseHint(secret: object, fallback: number): number {
  const hint = memberOf(secret, 'ttl') === undefined ? memberOf(secret, 'lease') : memberOf(secret, 'ttl')
  if (hint === undefined) return fallback
  if (hint === null) return 0
  if (typeof hint !== 'string' && typeof hint !== 'number') return fallback
  try {
    return parseDuration(hint, 'ttl')
  } catch {
    // The member is the user's data, so a value that is not a duration is not an error.
    return fallback
  }
}
