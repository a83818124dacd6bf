/** The stored record of a token. */

export interface TokenRecord {
  readonly type: 'service' | 'batch'
  /** Includes the namespace's suffix. Empty for batch tokens. */
  readonly accessor: string
  /** The uuid of the namespace of the token and its policies. */
  readonly namespace: string
  /** Trimmed, lower case, sorted, without duplicates. */
  readonly policies: readonly string[]
  /** The path of the request that created it, relative to the namespace. */
  readonly path: string
  readonly meta: Readonly<Record<string, string>> | null
  readonly display_name: string
  /** Remaining uses; 0 means unlimited, -1 means used up. */
  readonly num_uses: number
  /** Milliseconds since the epoch. */
  readonly created: number
  /** Milliseconds since the epoch; null means never. */
  readonly expires: number | null
  /** The TTL granted at creation, in seconds. */
  readonly creation_ttl: number
  /** The TTL granted at creation or by the last renewal, in seconds. */
  readonly last_ttl: number
  /** Milliseconds since the epoch of the last renewal; null if never renewed. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** Seconds; 0 means none. */
  readonly explicit_max_ttl: number
  /** Seconds; 0 means none. */
  readonly period: number
  /** The id of the parent token, with which it is revoked; empty for an orphan. */
  readonly parent: string
  /** The name of the token role that created it, or empty. */
  readonly role: string
  /** The id of its entity, or empty. */
  readonly entity: string
  readonly bound_cidrs: readonly string[]
  /** The id of its cubbyhole; empty for batch tokens. */
  readonly cubbyhole: string
  /** The uuid of the auth mount that created it. The token becomes invalid when the mount is removed. */
  readonly mount: string
  /**
   * `revoked`: invalid together with all its descendants, whose records may still exist. `orphaning`: invalid itself; its children are
   * becoming orphans.
   */
  readonly state: 'live' | 'revoked' | 'orphaning'
  /** For a token made by a login: data that its auth method needs for a renewal. */
  readonly login?: Readonly<Record<string, string>>
  /** The number of the newest cutoff when the token was stored. Only later cutoffs apply to it. Absent means 0. */
  readonly era?: number
  /** For a token whose text its creator chose: the key of its {@link CHOSEN} record. */
  readonly chosen?: string
}
