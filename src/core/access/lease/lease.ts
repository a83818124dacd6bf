/**
 * Leases as they are stored, and how they change.
 *
 * A lease's key is `<namespace uuid>/<lease id without the namespace's suffix>`. A token's lease is a pointer: all its data is in
 * the token's record.
 */
import { backOffAfter, LONGEST_BACK_OFF_MS } from '../../base/back-off.ts'
import type { JsonObject } from '../../contract/lease-terms.ts'
import { jsonRecord } from '../../contract/record-kind.ts'

export interface SecretLease {
  /** The uuid of the mount that issued the secret. */
  readonly mount: string
  /** The id of the token that it ends with; empty for none. */
  readonly owner: string
  /** Milliseconds. */
  readonly issued: number
  /** Milliseconds. */
  readonly expires: number
  /** Milliseconds of the last renewal; null where there was none. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** Seconds a renewal grants where none are asked for; 0 means the mount's default. */
  readonly ttl: number
  /** Seconds from its issue that no renewal exceeds; 0 means only the mount's bound. */
  readonly max_ttl: number
  /** Milliseconds: when the batch token that took it ends; null for other owners. */
  readonly until: number | null
  /** The number of the last ending that had begun when it was issued: only later ones apply to it. */
  readonly era: number
  /** What the engine needs to renew and to revoke it. */
  readonly data: JsonObject
  /**
   * `ending`: refused, but not yet revoked by the engine. `irrevocable`: the engine has failed to revoke it, finally or too
   * often.
   */
  readonly state: 'live' | 'ending' | 'irrevocable'
  /** It is removed even if the engine fails. */
  readonly force: boolean
  /** Milliseconds: the time of its entry in the due index. */
  readonly due: number
  /** How often the engine failed to revoke it. */
  readonly attempts: number
  /** The error of the last failure. */
  readonly revokeErr: string
}

export interface TokenLease {
  /** The id of the token. */
  readonly token: string
}

export type LeaseRecord = SecretLease | TokenLease

export const isTokenLease = (lease: LeaseRecord): lease is TokenLease => 'token' in lease

/** At `l/core/lease/<key>`. */
export const LEASE = /* @__PURE__ */ jsonRecord<LeaseRecord>({ class: 'l', folder: 'lease' })

export interface LeaseIndex {
  /** The key of the lease. */
  readonly lease: string
}

/** At `l/core/lease-owner/<id of the token>/<last part of the lease id>`: the leases that end with a token. */
export const TOKEN_LEASES = /* @__PURE__ */ jsonRecord<LeaseIndex>({ class: 'l', folder: 'lease-owner' })

/** At `l/core/lease-mount/<mount uuid>/<last part of the lease id>`: the leases that a mount must stay for. */
export const MOUNT_LEASES = /* @__PURE__ */ jsonRecord<LeaseIndex>({ class: 'l', folder: 'lease-mount' })

/** At `l/core/lease-stuck/<key>`: the irrevocable leases, for listing them. */
export const IRREVOCABLE_LEASES = /* @__PURE__ */ jsonRecord<Record<never, never>>({ class: 'l', folder: 'lease-stuck' })

/** The last part of a lease id, which no two leases share. */
export const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** The request path and the last part: a key without its namespace. */
export const pathOf = (key: string): string => key.slice(key.indexOf('/') + 1)

/** The key of a token's lease. */
export const tokenLeaseKey = (id: string, token: { readonly namespace: string; readonly path: string }): string =>
  `${token.namespace}/${token.path}/${id}`

const MAX_ATTEMPTS = 6
const MAX_ERROR_CHARACTERS = 240

/** The lease, refused from now on and to be revoked at once. An irrevocable one is tried once more. */
export const endedLease = (lease: SecretLease, now: number, force: boolean): SecretLease => ({
  ...lease,
  state: lease.state === 'irrevocable' ? 'irrevocable' : 'ending',
  force: force || lease.force,
  due: now,
})

/**
 * The lease after its engine put the revocation off: no attempt is counted.
 * @param random From 0 to 1.
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
 * The lease after the engine failed to revoke it: it is retried after 10 seconds, with exponential back-off and jitter of a half, then
 * hourly after six failures or a final one (source: behaviour of the originals, which give up then).
 * @param random From 0 to 1.
 */
export function failedLease(
  lease: SecretLease,
  { revokeErr, final }: { readonly revokeErr: string; readonly final: boolean },
  now: number,
  random: number,
): SecretLease {
  const attempts = lease.attempts + 1
  const irrevocable = final || lease.state === 'irrevocable' || attempts >= MAX_ATTEMPTS
  const wait = irrevocable ? LONGEST_BACK_OFF_MS : Math.round(backOffAfter(attempts) * (0.5 + random))
  return {
    ...lease,
    state: irrevocable ? 'irrevocable' : 'ending',
    due: now + wait,
    attempts,
    revokeErr: revokeErr.slice(0, MAX_ERROR_CHARACTERS),
  }
}
