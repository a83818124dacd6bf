/**
 * A longer life for a token (source: behaviour of the originals).
 */
import { invalid } from '../../base/errors.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import { grantTtl, type TtlWish } from '../../contract/ttl.ts'
import type { Tx } from '../../contract/tx.ts'
import { scheduleExpiry } from './revoke.ts'
import { endOf } from './store-token.ts'
import { TOKEN } from './token.ts'

/** What bounds a renewal beside the token itself. */
export interface RenewalLimits {
  /** Seconds; of the mount that made the token. */
  readonly mount: TtlWish['mount']
  /** Seconds, 0 none: what applies now, where whoever made the token may have changed its mind since. */
  readonly period: number
  readonly explicitMax: number
  /** Seconds that it gets where nothing was asked for. Default: what it was given last. */
  readonly fallback?: number
}

/**
 * Renews a token that is alive, from now on; `increment` 0 is what it was given last.
 * @param increment Seconds.
 * @throws KernelError 400 for a token that cannot be renewed, or no more.
 */
export function renewToken(tx: Tx, id: string, token: TokenRecord, increment: number, limits: RenewalLimits): TokenRecord {
  if (token.type === 'batch') throw invalid('batch tokens cannot be renewed')
  if (!token.renewable || token.expires === null) throw invalid('lease is not renewable')
  const { mount, period, explicitMax, fallback: backend = token.last_ttl } = limits
  const granted = grantTtl({ increment, backend, period, explicitMax, start: token.created, now: tx.now, mount })
  for (const warning of granted.warnings) tx.warn(warning)
  const renewed: TokenRecord = { ...token, expires: endOf(tx.now, granted.ttl), last_ttl: granted.ttl, renewed: tx.now }
  tx.put(TOKEN, id, renewed)
  scheduleExpiry(tx, id, token.expires, renewed.expires)
  tx.event('token.renewed', { accessor: token.accessor, display_name: token.display_name })
  return renewed
}
