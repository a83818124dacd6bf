/** Computes the limits of a token from the parameters of the request and the settings of the role. */
import { invalid } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { AskedTimes, TokenRequest } from './token-request.ts'
import type { TokenRole } from './token-role.ts'

export interface Limits {
  /** The period in seconds; 0 means that the token is not periodic. */
  readonly period: number
  /** The maximum lifetime including renewals, in seconds; 0 means no maximum. */
  readonly explicitMax: number
  /** The maximum number of uses; 0 means no limit. */
  readonly numUses: number
}

/** Returns the lower of two limits. 0 means no limit. */
export const lesser = (a: number, b: number): number => (a > 0 && b > 0 ? Math.min(a, b) : a || b)

export function limitsOf(tx: Tx, { num_uses }: TokenRequest, times: AskedTimes, role: TokenRole | undefined): Limits {
  if (num_uses < 0) throw invalid('num_uses: number of uses cannot be negative')
  const period = lesser(times.period, role?.token_period ?? 0)
  const explicitMax = lesser(times.explicitMax, role?.token_explicit_max_ttl ?? 0)
  if (times.period > 0 && role && role.token_period > 0) tx.warn(bothSet('Period', period))
  if (times.explicitMax > 0 && role && role.token_explicit_max_ttl > 0) tx.warn(bothSet('Explicit max TTL', explicitMax))
  return { period, explicitMax, numUses: lesser(num_uses, role?.token_num_uses ?? 0) }
}

const bothSet = (what: string, seconds: number): string =>
  `${what} specified both during creation call and in role; using the lesser value of ${seconds} seconds`
