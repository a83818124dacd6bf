/**
 * Leases as they are stored, and how they change.
 *
 * A lease's key is `<namespace uuid>/<lease id without the namespace's suffix>`. A token's lease is a pointer: all there is to know
 * about it stands in the token's record.
 */
import type { JsonObject } from '../../contract/lease-terms.ts'
import { jsonRecord } from '../../contract/record-kind.ts'

export interface SecretLease {
  /** The uuid of the mount that gave the secret. */
  readonly mount: string
  /** The id of the token it ends with; empty for none. */
  readonly owner: string
  /** Milliseconds. */
  readonly issued: number
  /** Milliseconds. */
  readonly expires: number
  /** Milliseconds of the last renewal; null without one. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** Seconds a renewal gives where nothing is asked for; 0 is the mount's default. */
  readonly ttl: number
  /** Seconds from its issue that no renewal goes beyond; 0 is the mount's bound alone. */
  readonly max_ttl: number
  /** Milliseconds: when the batch token ends that took it; null for all others. */
  readonly until: number | null
  /** The number of the last ending that had begun when it was issued: later ones are about it. */
  readonly era: number
  /** What the engine needs to renew and to revoke it. */
  readonly data: JsonObject
  /** `ending`: refused, but the engine has not revoked it yet. `irrevocable`: and has failed to, for good or too often. */
  readonly state: 'live' | 'ending' | 'irrevocable'
  /** It goes even if the engine fails. */
  readonly force: boolean
  /** Milliseconds: the time its entry in the due index stands at. */
  readonly due: number
  /** How often the engine failed to revoke it. */
  readonly attempts: number
  /** Why it failed last. */
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

/** At `l/core/lease-owner/<id of the token>/<last part of the lease id>`: what ends with a token. */
export const OWNED = /* @__PURE__ */ jsonRecord<LeaseIndex>({ class: 'l', folder: 'lease-owner' })

/** At `l/core/lease-mount/<mount uuid>/<last part of the lease id>`: what a mount has to be there for. */
export const HELD = /* @__PURE__ */ jsonRecord<LeaseIndex>({ class: 'l', folder: 'lease-mount' })

/** At `l/core/lease-stuck/<key>`: the irrevocable ones, for who asks for them. */
export const STUCK = /* @__PURE__ */ jsonRecord<Record<never, never>>({ class: 'l', folder: 'lease-stuck' })

/** The last part of a lease id, which no two leases share. */
export const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** The request path and the last part: a key without its namespace. */
export const pathOf = (key: string): string => key.slice(key.indexOf('/') + 1)

/** Where a token's lease lies. */
export const tokenLeaseKey = (id: string, token: { readonly namespace: string; readonly path: string }): string =>
  `${token.namespace}/${token.path}/${id}`

const RETRY_MS = 10_000
const MOST_ATTEMPTS = 6
const HOUR_MS = 3_600_000
const LONGEST_ERROR = 240

/** Refused from now on, and to be revoked at once. An irrevocable one is tried once more. */
export const ended = (lease: SecretLease, now: number, force: boolean): SecretLease => ({
  ...lease,
  state: lease.state === 'irrevocable' ? 'irrevocable' : 'ending',
  force: force || lease.force,
  due: now,
})

/**
 * After the engine failed to revoke it: again after 10 seconds, twice as long each time, give or take a half, and hourly when that was in
 * vain six times, or is in vain for good (source: behaviour of the originals, which give up then).
 * @param random From 0 to 1.
 */
export function failed(
  lease: SecretLease,
  { revokeErr, final }: { readonly revokeErr: string; readonly final: boolean },
  now: number,
  random: number,
): SecretLease {
  const attempts = lease.attempts + 1
  const irrevocable = final || lease.state === 'irrevocable' || attempts >= MOST_ATTEMPTS
  const wait = irrevocable ? HOUR_MS : Math.round(RETRY_MS * 2 ** (attempts - 1) * (0.5 + random))
  return {
    ...lease,
    state: irrevocable ? 'irrevocable' : 'ending',
    due: now + wait,
    attempts,
    revokeErr: revokeErr.slice(0, LONGEST_ERROR),
  }
}
