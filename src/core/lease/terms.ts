/**
 * What engines and the kernel tell each other about leases, and how long they last. Room: core/lease. Imported by transactions, by the
 * declaration of engines and by engines that lease.
 */
import { grantTtl } from '../auth/token/ttl.ts'
import { invalid } from '../errors.ts'
import { f } from '../operation/fields.ts'
import type { Values } from '../operation/parse.ts'
import type { WireReply } from '../operation/wire-reply.ts'
import type { Tx } from '../transaction/tx.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** How long a leased secret is to live. In seconds; what is absent or 0 is as the mount says. */
export interface LeaseTerms {
  readonly ttl?: number
  /** Renewals never take it beyond this, counted from its issue. The mount's own bound holds beside it. */
  readonly max_ttl?: number
}

/** A secret that an operation is about to give out. */
export interface LeaseWish extends LeaseTerms {
  readonly renewable: boolean
  /** What the engine needs to revoke it: JSON, and no key material. */
  readonly data: JsonObject
}

/** What the reply to a leased secret carries beside it: part of the operation's result, for both views. */
export const LEASED = {
  lease_id: f.text('Names the lease, for those who renew or revoke it.'),
  lease_duration: f.int('Seconds until it ends.'),
  renewable: f.bool('Whether it can be renewed.'),
}

export interface Leased {
  readonly lease_id: string
  readonly lease_duration: number
  readonly renewable: boolean
}

/** The wire form of a result that has {@link LEASED} in it: the lease beside `data`, the rest in it. */
export function leasedWire({ lease_id, lease_duration, renewable, ...data }: Leased & Values): WireReply {
  return { lease_id, lease_duration, renewable, data }
}

/** A lease as its engine is told of it. */
export interface HeldLease {
  readonly id: string
  readonly data: JsonObject
  /** Milliseconds. */
  readonly issued: number
  /** Milliseconds. */
  readonly expires: number
}

/**
 * What an engine does for its leases, in the commit that renews or ends them. Synchronous, and may run again like every operation: what is
 * outside goes through `tx.once`. `tx.call` is the kernel's own, on the engine's mount, which may be on its way out.
 */
export interface LeaseHandler {
  /**
   * @param increment Seconds asked for; 0 where nothing was.
   * @returns The terms as they are now, where they have changed since. What the renewal comes to tells `renewedTtl`.
   */
  renew(tx: Tx, lease: HeldLease, increment: number): LeaseTerms | undefined
  /**
   * What it throws is kept with the lease, which is refused all the same, and it is asked again later. A `KernelError` is told to users;
   * of one that says that it is the request's fault (400, 404, 405) nothing is expected any more. To revoke twice is no error.
   */
  revoke(tx: Tx, lease: HeldLease): void
}

export interface TtlAsked {
  /** Seconds; 0 none. */
  readonly increment: number
  readonly terms: LeaseTerms
  /** Milliseconds. */
  readonly issued: number
  /** Milliseconds. */
  readonly now: number
  /** Milliseconds; null none. */
  readonly until: number | null
  /** Seconds. */
  readonly mount: { readonly fallback: number; readonly max: number }
}

/** Seconds from now that a lease gets. @throws KernelError 400 when its end has passed. */
export function leaseTtl({ increment, terms, issued, now, until, mount }: TtlAsked): {
  readonly ttl: number
  readonly warnings: readonly string[]
} {
  const { ttl: backend = 0, max_ttl: explicitMax = 0 } = terms
  const granted = grantTtl({ increment, backend, explicitMax, start: issued, now, mount })
  if (until === null) return granted
  // The token that took it is good no longer than that, and nobody else is told: so no warning.
  const ttl = Math.min(granted.ttl, Math.floor((until - now) / 1000))
  if (ttl <= 0) throw invalid('past the max TTL, cannot renew')
  return { ...granted, ttl }
}
