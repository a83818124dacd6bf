import type { TokenSettings } from './token-settings.ts'
import type { TtlRequest } from './ttl.ts'

/** A request to create a token for a caller that an auth method has authenticated. */
export interface LoginRequest {
  /** The role's settings for the token. */
  readonly settings: TokenSettings
  /**
   * The alias: the name under which the auth method knows the caller. An auth method must use the same name at every login of the caller.
   */
  readonly alias: string
  /** Metadata stored with the alias. Every login replaces it. */
  readonly aliasMetadata: Readonly<Record<string, string>>
  /** The token's metadata. */
  readonly metadata: Readonly<Record<string, string>>
  /** The display name of the token. The kernel puts the mount's path before it. */
  readonly displayName: string
  /** The data that the auth method needs to renew the token. It must not contain secrets. */
  readonly data: Readonly<Record<string, string>>
}

/** The limits for a renewal in seconds; 0 means no limit. */
export interface RenewalTerms {
  readonly ttl: number
  readonly maxTtl: number
  readonly period: number
}

/** Returns the mount's TTLs, limited by `maxTtl`. @param maxTtl Seconds; 0 means no limit. */
export const capMountTtl = ({ fallback, max }: TtlRequest['mount'], maxTtl: number): TtlRequest['mount'] =>
  maxTtl > 0 ? { fallback, max: Math.min(max, maxTtl) } : { fallback, max }
