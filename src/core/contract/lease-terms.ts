/**
 * What engines and the kernel tell each other about leases, and how long they last.
 */
import { invalid } from '../base/errors.ts'
import { f } from '../field/fields.ts'
import type { Values } from '../field/parse.ts'
import { grantTtl } from './ttl.ts'
import type { WireReply } from './wire-reply.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** How long a leased secret is to live. In seconds; what is absent or 0 is as the mount says. */
export interface LeaseTerms {
  readonly ttl?: number
  /** Renewals never take it beyond this, counted from its issue. The mount's own bound holds beside it. */
  readonly max_ttl?: number
}

/** A lease that would be made now. */
export interface Foreseen {
  /** Seconds. */
  readonly ttl: number
  readonly warnings: readonly string[]
}

/** A secret that an operation is about to give out. */
export interface LeaseWish extends LeaseTerms {
  /** Milliseconds: when the secret itself ends, which the lease never outlives. */
  readonly ends?: number
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
