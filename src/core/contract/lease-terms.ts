/**
 * What engines and the kernel exchange about leases, and how long leases last.
 */
import { invalid } from '../base/errors.ts'
import { f } from '../field/fields.ts'
import type { Values } from '../field/parse.ts'
import { grantTtl } from './ttl.ts'
import type { WireReply } from './wire-reply.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** The requested lifetime of a leased secret, in seconds; absent or 0 means the mount's. */
export interface LeaseTerms {
  readonly ttl?: number
  /** Renewals never extend it beyond this, counted from its issue. The mount's bound applies as well. */
  readonly max_ttl?: number
}

/** The lease that would be made now. */
export interface LeasePreview {
  /** Seconds. */
  readonly ttl: number
  readonly warnings: readonly string[]
}

/** A secret that an operation is about to hand out. */
export interface LeaseRequest extends LeaseTerms {
  /** Milliseconds: when the secret itself expires; the lease never outlives it. */
  readonly ends?: number
  readonly renewable: boolean
  /** What the engine needs to revoke it: JSON, without key material. */
  readonly data: JsonObject
}

/** The members that the reply to a leased secret carries: part of the operation's result, for both views. */
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

/** The wire form of a result that has {@link LEASED} in it: the lease beside `data`, the rest inside. */
export function leasedWire({ lease_id, lease_duration, renewable, ...data }: Leased & Values): WireReply {
  return { lease_id, lease_duration, renewable, data }
}

/** A lease as its engine sees it. */
export interface EngineLease {
  readonly id: string
  readonly data: JsonObject
  /** Milliseconds. */
  readonly issued: number
  /** Milliseconds. */
  readonly expires: number
}

export interface LeaseTtlInput {
  /** Seconds; 0 means none. */
  readonly increment: number
  readonly terms: LeaseTerms
  /** Milliseconds. */
  readonly issued: number
  /** Milliseconds. */
  readonly now: number
  /** Milliseconds; null means none. */
  readonly until: number | null
  /** Seconds. */
  readonly mount: { readonly fallback: number; readonly max: number }
}

/** The granted TTL in seconds from now. @throws KernelError 400 when its end has passed. */
export function leaseTtl({ increment, terms, issued, now, until, mount }: LeaseTtlInput): {
  readonly ttl: number
  readonly warnings: readonly string[]
} {
  const { ttl: backend = 0, max_ttl: explicitMax = 0 } = terms
  const granted = grantTtl({ increment, backend, explicitMax, start: issued, now, mount })
  if (until === null) return granted
  // The token that took the lease ends then too, and nobody else is told: so no warning.
  const ttl = Math.min(granted.ttl, Math.floor((until - now) / 1000))
  if (ttl <= 0) throw invalid('past the max TTL, cannot renew')
  return { ...granted, ttl }
}
