import type { TokenSettings } from './token-settings.ts'
import type { TtlRequest } from './ttl.ts'

/** A successful authentication, for which the kernel creates a token. */
export interface LoginRequest {
  /** The role's settings for the token. */
  readonly settings: TokenSettings
  /** The alias: the auth method's name for the caller, the same at every login. */
  readonly alias: string
  /** Stored with the alias and replaced by every login. */
  readonly aliasMetadata: Readonly<Record<string, string>>
  /** The token's metadata. */
  readonly metadata: Readonly<Record<string, string>>
  /** Shown to people, after the mount's path. */
  readonly displayName: string
  /** The data that the auth method needs for a renewal: JSON without secrets. */
  readonly data: Readonly<Record<string, string>>
}

/** The limits of a renewal in seconds; 0 means none. */
export interface RenewalTerms {
  readonly ttl: number
  readonly maxTtl: number
  readonly period: number
}

/** The mount's TTLs, capped by `maxTtl`. @param maxTtl Seconds; 0 means no cap. */
export const capMountTtl = ({ fallback, max }: TtlRequest['mount'], maxTtl: number): TtlRequest['mount'] =>
  maxTtl > 0 ? { fallback, max: Math.min(max, maxTtl) } : { fallback, max }
