/** The stored record of a token. */

export interface TokenRecord {
  readonly type: 'service' | 'batch'
  /** The accessor, including the suffix of the namespace. Empty for batch tokens. */
  readonly accessor: string
  /** The uuid of the namespace to which the token and its policies belong. */
  readonly namespace: string
  /** Names of policies: trimmed, in lower case, sorted, without duplicates. */
  readonly policies: readonly string[]
  /** The path of the request that created the token, relative to the namespace. */
  readonly path: string
  readonly meta: Readonly<Record<string, string>> | null
  readonly display_name: string
  /** The remaining uses; 0 means unlimited, -1 means that none remain. */
  readonly num_uses: number
  /** Milliseconds since the epoch. */
  readonly created: number
  /** Milliseconds since the epoch; null means never. */
  readonly expires: number | null
  /** The TTL in seconds that was granted at creation. */
  readonly creation_ttl: number
  /** The TTL in seconds that was granted at creation or by the last renewal. */
  readonly last_ttl: number
  /** Milliseconds since the epoch of the last renewal; null if the token was never renewed. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** Seconds; 0 means none. */
  readonly explicit_max_ttl: number
  /** Seconds; 0 means none. */
  readonly period: number
  /** The id of the parent token; empty for an orphan. When the parent is revoked, this token is revoked, too. */
  readonly parent: string
  /** The name of the token role with which the token was created, or empty. */
  readonly role: string
  /** The id of the token's entity, or empty. */
  readonly entity: string
  readonly bound_cidrs: readonly string[]
  /** The id of the token's cubbyhole; empty for batch tokens. */
  readonly cubbyhole: string
  /** The uuid of the auth mount that created the token. Removing the mount makes the token invalid. */
  readonly mount: string
  /**
   * `revoked`: the token and all its descendants are invalid, but their records may still exist. `orphaning`: the token is invalid, and its
   * children are being turned into orphans.
   */
  readonly state: 'live' | 'revoked' | 'orphaning'
  /** For a token that a login created: the data that the auth method needs to renew the token. */
  readonly login?: Readonly<Record<string, string>>
  /**
   * The number of the newest cutoff when the token was stored; absent means 0. A cutoff makes older tokens invalid, so only cutoffs with
   * greater numbers apply to the token.
   */
  readonly era?: number
  /** For a token whose string its creator chose: the id of the token's record of the kind `CHOSEN`. */
  readonly chosen?: string
}
