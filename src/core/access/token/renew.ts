/** Renews tokens by Vault's rules. */
import { invalid } from '../../base/errors.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import { grantTtl, type TtlRequest } from '../../contract/ttl.ts'
import type { Tx } from '../../contract/tx.ts'
import { scheduleExpiry } from './revoke.ts'
import { expiryOf } from './store-token.ts'
import { TOKEN } from './token.ts'

/** The limits of a renewal, in addition to those in the token's record. */
export interface RenewalLimits {
  /** The TTLs of the mount that created the token, in seconds. */
  readonly mount: TtlRequest['mount']
  /** The current period in seconds; 0 means none. The role's period may have changed since the token was created. */
  readonly period: number
  readonly explicitMax: number
  /** Seconds that are granted if the renewal requests none. Default: the TTL that was granted last. */
  readonly fallback?: number
}

/**
 * Renews a valid token. The new TTL begins now.
 * @param increment The requested seconds; 0 means none.
 * @throws KernelError 400 if the token cannot be renewed or has reached its maximum lifetime.
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
