import type { TokenSettings } from './token-settings.ts'
import type { TtlWish } from './ttl.ts'

/** Somebody whom an auth method has let in. */
export interface LoginWish {
  /** What the role says of the token. */
  readonly settings: TokenSettings
  /** What the method calls the caller, the same at every login: the alias of an entity. */
  readonly alias: string
  /** Kept with the alias, and up to date with every login. */
  readonly aliasMetadata: Readonly<Record<string, string>>
  /** Shown with the token. */
  readonly metadata: Readonly<Record<string, string>>
  /** For people; shown behind the mount's path. */
  readonly displayName: string
  /** What the method needs for a renewal: JSON, and nothing secret. */
  readonly data: Readonly<Record<string, string>>
}

/** What a renewal goes by. In seconds; 0 is none. */
export interface RenewalTerms {
  readonly ttl: number
  readonly maxTtl: number
  readonly period: number
}

/** @param maxTtl Seconds; 0 none. */
export const boundedBy = ({ fallback, max }: TtlWish['mount'], maxTtl: number): TtlWish['mount'] =>
  maxTtl > 0 ? { fallback, max: Math.min(max, maxTtl) } : { fallback, max }
