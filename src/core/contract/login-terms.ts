import type { TokenSettings } from './token-settings.ts'
import type { TtlRequest } from './ttl.ts'

/** A caller whom an auth method has let in. */
export interface LoginRequest {
  /** The role's settings for the token. */
  readonly settings: TokenSettings
  /** The method's name for the caller, the same at every login: the alias of an entity. */
  readonly alias: string
  /** Kept with the alias and updated by every login. */
  readonly aliasMetadata: Readonly<Record<string, string>>
  /** Shown with the token. */
  readonly metadata: Readonly<Record<string, string>>
  /** For people; shown after the mount's path. */
  readonly displayName: string
  /** What the method needs for a renewal: JSON, without secrets. */
  readonly data: Readonly<Record<string, string>>
}

/** The limits of a renewal, in seconds; 0 means none. */
export interface RenewalTerms {
  readonly ttl: number
  readonly maxTtl: number
  readonly period: number
}

/** @param maxTtl Seconds; 0 means none. */
export const capMountTtl = ({ fallback, max }: TtlRequest['mount'], maxTtl: number): TtlRequest['mount'] =>
  maxTtl > 0 ? { fallback, max: Math.min(max, maxTtl) } : { fallback, max }
