/**
 * Renews a token (source: behaviour of the originals).
 */
import { invalid } from '../../base/errors.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import { grantTtl, type TtlRequest } from '../../contract/ttl.ts'
import type { Tx } from '../../contract/tx.ts'
import { scheduleExpiry } from './revoke.ts'
import { expiryOf } from './store-token.ts'
import { TOKEN } from './token.ts'

/** The bounds of a renewal beside the token's own. */
export interface RenewalLimits {
  /** The TTL bounds of the mount that made the token, in seconds. */
  readonly mount: TtlRequest['mount']
  /** The present period in seconds, 0 means none; the token's maker may have changed it since. */
  readonly period: number
  readonly explicitMax: number
  /** Seconds granted where none are asked for. Default: what was granted last. */
  readonly fallback?: number
}

/**
 * Renews a live token from now on; `increment` 0 grants the same as last time.
 * @param increment Seconds.
 * @throws KernelError 400 for a token that cannot be renewed, or not any more.
 */
export function renewStoredToken(tx: Tx, id: string, token: TokenRecord, increment: number, limits: RenewalLimits): TokenRecord {
  if (token.type === 'batch') throw invalid('batch tokens cannot be renewed')
  if (!token.renewable || token.expires === null) throw invalid('lease is not renewable')
  const { mount, period, explicitMax, fallback: backend = token.last_ttl } = limits
  const granted = grantTtl({ increment, backend, period, explicitMax, start: token.created, now: tx.now, mount })
  for (const warning of granted.warnings) tx.warn(warning)
  const renewed: TokenRecord = { ...token, expires: expiryOf(tx.now, granted.ttl), last_ttl: granted.ttl, renewed: tx.now }
  tx.put(TOKEN, id, renewed)
  scheduleExpiry(tx, id, token.expires, renewed.expires)
  tx.event('token.renewed', { accessor: token.accessor, display_name: token.display_name })
  return renewed
}
