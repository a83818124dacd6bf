/**
 * Stored leases and their state changes.
 *
 * The key of a lease is `<namespace uuid>/<lease id without the namespace's suffix>`. The lease of a token only refers to the token's
 * record, which has all data.
 */
import { backOffAfter, MAX_BACK_OFF_MS } from '../../base/back-off.ts'
import { coreRecord } from '../../contract/core-record.ts'
import type { JsonObject } from '../../contract/lease-terms.ts'

export interface SecretLease {
  /** The uuid of the mount that issued the secret. */
  readonly mount: string
  /** The id of the token that the lease ends with; empty if it ends with no token. */
  readonly owner: string
  /** When the lease was issued, in milliseconds since the epoch. */
  readonly issued: number
  /** When the lease expires, in milliseconds since the epoch. */
  readonly expires: number
  /** Milliseconds since the epoch of the last renewal; null if never renewed. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** The TTL in seconds of a renewal that requests none; 0 means the mount's default. */
  readonly ttl: number
  /** Maximum lifetime in seconds since the issue, including renewals; 0 means that only the mount's limit applies. */
  readonly max_ttl: number
  /** If the lease was requested with a batch token: the expiry of that token in milliseconds since the epoch. Otherwise null. */
  readonly until: number | null
  /** The number of the newest cutoff when the lease was issued. Only later cutoffs apply to the lease. */
  readonly era: number
  /** The data that the engine needs to renew and revoke the lease. */
  readonly data: JsonObject
  /**
   * `ending`: the lease is invalid, but the engine has not revoked it yet. `irrevocable`: the engine failed to revoke it, either too often
   * or with an error that no retry can fix.
   */
  readonly state: 'live' | 'ending' | 'irrevocable'
  /** Whether the lease is removed even if the engine fails. */
  readonly force: boolean
  /** The time of the lease in the due index, in milliseconds since the epoch. */
  readonly due: number
  /** The number of failed attempts of the engine to revoke the lease. */
  readonly attempts: number
  /** The message of the last failure. */
  readonly revokeErr: string
}

interface TokenLease {
  /** The id of the token that has this lease. */
  readonly token: string
}

export type LeaseRecord = SecretLease | TokenLease

export const isTokenLease = (lease: LeaseRecord): lease is TokenLease => 'token' in lease

/** Stored at `l/core/lease/<key>`. */
export const LEASE_RECORD = /* @__PURE__ */ coreRecord<LeaseRecord>({ class: 'l', folder: 'lease' })

interface LeaseIndex {
  /** The key of the lease. */
  readonly lease: string
}

/** Stored at `l/core/lease-owner/<token id>/<last segment of the lease id>`: an index of the leases that end with a token. */
export const TOKEN_LEASES = /* @__PURE__ */ coreRecord<LeaseIndex>({ class: 'l', folder: 'lease-owner' })

/**
 * Stored at `l/core/lease-mount/<mount uuid>/<last segment of the lease id>`: an index of the leases that the mount's engine must still
 * revoke.
 */
export const MOUNT_LEASES = /* @__PURE__ */ coreRecord<LeaseIndex>({ class: 'l', folder: 'lease-mount' })

/** Stored at `l/core/lease-stuck/<key>`: an index of the irrevocable leases. */
export const IRREVOCABLE_LEASES = /* @__PURE__ */ coreRecord<Record<never, never>>({ class: 'l', folder: 'lease-stuck' })

/** The last segment of the lease id. No other lease has the same last segment. */
export const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** The key without the namespace's uuid: the request path and the last segment. */
export const pathOf = (key: string): string => key.slice(key.indexOf('/') + 1)

/** The key of the lease of a token. */
export const tokenLeaseKey = (id: string, token: { readonly namespace: string; readonly path: string }): string =>
  `${token.namespace}/${token.path}/${id}`

const MAX_ATTEMPTS = 6
const MAX_ERROR_CHARACTERS = 240

/** Returns the lease as invalid and due for revocation now. For an irrevocable lease, revocation is tried once more. */
export const endedLease = (lease: SecretLease, now: number, force: boolean): SecretLease => ({
  ...lease,
  state: lease.state === 'irrevocable' ? 'irrevocable' : 'ending',
  force: force || lease.force,
  due: now,
})

/**
 * Returns the lease with a later revocation, because the engine postponed it. Postponing does not count as a failed attempt.
 * @param random A random number from 0 to 1.
 */
export const postponedLease = (
  lease: SecretLease,
  { after, message }: { readonly after: number; readonly message: string },
  now: number,
  random: number,
): SecretLease => ({
  ...lease,
  state: lease.state === 'irrevocable' ? 'irrevocable' : 'ending',
  due: now + Math.round(after * (1 + random / 4)),
  revokeErr: message.slice(0, MAX_ERROR_CHARACTERS),
})

/**
 * Returns the lease after a failed revocation. Revocation is retried after 10 seconds, then with exponential back-off and a jitter of 50 %.
 * After six failures, or one failure that no retry can fix, the lease is irrevocable, as in Vault. Revocation is then still tried every
 * hour.
 * @param random A random number from 0 to 1.
 */
export function failedLease(
  lease: SecretLease,
  { revokeErr, final }: { readonly revokeErr: string; readonly final: boolean },
  now: number,
  random: number,
): SecretLease {
  const attempts = lease.attempts + 1
  const irrevocable = final || lease.state === 'irrevocable' || attempts >= MAX_ATTEMPTS
  const wait = irrevocable ? MAX_BACK_OFF_MS : Math.round(backOffAfter(attempts) * (0.5 + random))
  return {
    ...lease,
    state: irrevocable ? 'irrevocable' : 'ending',
    due: now + wait,
    attempts,
    revokeErr: revokeErr.slice(0, MAX_ERROR_CHARACTERS),
  }
}
