/** Types for leases, shared by engines and the kernel, and the computation of their TTLs. */
import { invalid } from '../base/errors.ts'
import { f } from '../field/fields.ts'
import type { Values } from '../field/parse.ts'
import { grantTtl, type Ttl } from './ttl.ts'
import type { WireReply } from './wire-reply.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** The requested lifetime of a leased secret in seconds. Absent or 0 means the mount's default. */
export interface LeaseTerms {
  readonly ttl?: number
  /** The maximum lifetime including all renewals, in seconds since the lease was created. The maximum TTL of the mount also applies. */
  readonly max_ttl?: number
}

/** The lease that the operation would create now. */
export interface LeasePreview {
  /** Seconds. */
  readonly ttl: number
  readonly warnings: readonly string[]
}

/** The lease that an operation requests for a new secret. */
export interface LeaseRequest extends LeaseTerms {
  /** When the secret expires, in milliseconds since the epoch. The lease ends no later than the secret. */
  readonly ends?: number
  readonly renewable: boolean
  /** The data that the engine needs to revoke the secret: JSON without key material. */
  readonly data: JsonObject
}

/** Result fields of operations that return a leased secret. */
export const LEASED = {
  lease_id: f.text('The lease id, for renewal and revocation.'),
  lease_duration: f.int('Seconds until the lease expires.'),
  renewable: f.bool('Whether the lease can be renewed.'),
}

export interface Leased {
  readonly lease_id: string
  readonly lease_duration: number
  readonly renewable: boolean
}

/**
 * Converts a result with the fields of {@link LEASED} to the response of a call by path: the fields of the lease are at the top level, and
 * all other fields are in `data`.
 */
export function leasedWire({ lease_id, lease_duration, renewable, ...data }: Leased & Values): WireReply {
  return { lease_id, lease_duration, renewable, data }
}

/** The parts of a lease that its engine receives. */
export interface EngineLease {
  readonly id: string
  readonly data: JsonObject
  /** Milliseconds since the epoch. */
  readonly issued: number
  /** Milliseconds since the epoch. */
  readonly expires: number
}

export interface LeaseTtlInput {
  /** The requested TTL in seconds; 0 means that none was requested. */
  readonly increment: number
  readonly terms: LeaseTerms
  /** Milliseconds since the epoch. */
  readonly issued: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** When the token that owns the lease expires, in milliseconds since the epoch; null means never. */
  readonly until: number | null
  /** Seconds. */
  readonly mount: { readonly fallback: number; readonly max: number }
}

/** The granted TTL in seconds from now. @throws KernelError 400 if the maximum TTL has passed. */
export function leaseTtl({ increment, terms, issued, now, until, mount }: LeaseTtlInput): Ttl {
  const { ttl: backend = 0, max_ttl: explicitMax = 0 } = terms
  const granted = grantTtl({ increment, backend, explicitMax, start: issued, now, mount })
  if (until === null) return granted
  // If the TTL was shortened because the owning token expires, no warning is needed: users expect a lease to end with its token.
  const ttl = Math.min(granted.ttl, Math.floor((until - now) / 1000))
  if (ttl <= 0) throw invalid('past the max TTL, cannot renew')
  return { ...granted, ttl }
}
