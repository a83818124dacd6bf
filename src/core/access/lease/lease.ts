/**
 * Stored leases and their state changes.
 *
 * The key of a lease is `<namespace uuid>/<lease id without the namespace's suffix>`. A token's lease only refers to the token, whose
 * record has all data.
 */
import { backOffAfter, MAX_BACK_OFF_MS } from '../../base/back-off.ts'
import type { JsonObject } from '../../contract/lease-terms.ts'
import { jsonRecord } from '../../contract/record-kind.ts'

export interface SecretLease {
  /** The uuid of the mount that issued the secret. */
  readonly mount: string
  /** The id of the token with which the lease ends; empty for none. */
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly issued: number
  /** Milliseconds since the epoch. */
  readonly expires: number
  /** Milliseconds since the epoch of the last renewal; null if never renewed. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** Seconds granted by a renewal that requests none; 0 means the mount's default. */
  readonly ttl: number
  /** The limit for renewals in seconds from the issue; 0 means only the mount's limit. */
  readonly max_ttl: number
  /** For a lease requested with a batch token: when that token expires, in milliseconds since the epoch; otherwise null. */
  readonly until: number | null
  /** The number of the newest cutoff at the issue. Only later cutoffs apply. */
  readonly era: number
  /** The data that the engine needs to renew and revoke the lease. */
  readonly data: JsonObject
  /** `ending`: invalid, but the engine has not revoked it yet. `irrevocable`: the engine failed to revoke it, finally or too often. */
  readonly state: 'live' | 'ending' | 'irrevocable'
  /** Whether the lease is removed even if the engine fails. */
  readonly force: boolean
  /** Milliseconds since the epoch: its time in the due index. */
  readonly due: number
  /** How often the engine failed to revoke it. */
  readonly attempts: number
  /** The message of the last failure. */
  readonly revokeErr: string
}

export interface TokenLease {
  /** The id of the token. */
  readonly token: string
}

export type LeaseRecord = SecretLease | TokenLease

export const isTokenLease = (lease: LeaseRecord): lease is TokenLease => 'token' in lease

/** At `l/core/lease/<key>`. */
export const LEASE_RECORD = /* @__PURE__ */ jsonRecord<LeaseRecord>({ class: 'l', folder: 'lease' })

export interface LeaseIndex {
  /** The key of the lease. */
  readonly lease: string
}

/** At `l/core/lease-owner/<token id>/<last part of the lease id>`: the leases that end with a token. */
export const TOKEN_LEASES = /* @__PURE__ */ jsonRecord<LeaseIndex>({ class: 'l', folder: 'lease-owner' })

/** At `l/core/lease-mount/<mount uuid>/<last part of the lease id>`: the leases that a mount's engine must still revoke. */
export const MOUNT_LEASES = /* @__PURE__ */ jsonRecord<LeaseIndex>({ class: 'l', folder: 'lease-mount' })

/** At `l/core/lease-stuck/<key>`: the irrevocable leases. */
export const IRREVOCABLE_LEASES = /* @__PURE__ */ jsonRecord<Record<never, never>>({ class: 'l', folder: 'lease-stuck' })

/** The last part of a lease id, which is unique. */
export const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** The key without its namespace: the request path and the last part. */
export const pathOf = (key: string): string => key.slice(key.indexOf('/') + 1)

/** The key of a token's lease. */
export const tokenLeaseKey = (id: string, token: { readonly namespace: string; readonly path: string }): string =>
  `${token.namespace}/${token.path}/${id}`

const MAX_ATTEMPTS = 6
const MAX_ERROR_CHARACTERS = 240

/** The lease, made invalid and due for revocation now. An irrevocable lease is tried once more. */
export const endedLease = (lease: SecretLease, now: number, force: boolean): SecretLease => ({
  ...lease,
  state: lease.state === 'irrevocable' ? 'irrevocable' : 'ending',
  force: force || lease.force,
  due: now,
})

/**
 * The lease after its engine postponed the revocation. No attempt is counted.
 * @param random 0 to 1.
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
 * The lease after its engine failed to revoke it. Retries begin after 10 seconds with exponential back-off and a jitter of one half. After
 * six failures or a final one it is irrevocable, as in Vault, but is still tried every hour.
 * @param random 0 to 1.
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
