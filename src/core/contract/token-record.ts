/**
 * A token as it is stored.
 */

export interface TokenRecord {
  readonly type: 'service' | 'batch'
  /** With the namespace's suffix. Empty for batch tokens. */
  readonly accessor: string
  /** The uuid of the namespace that made it and that its policies belong to. */
  readonly namespace: string
  /** Trimmed, lower case, sorted, each once. */
  readonly policies: readonly string[]
  /** The path of the request that made it, relative to the namespace. */
  readonly path: string
  readonly meta: Readonly<Record<string, string>> | null
  readonly display_name: string
  /** Uses left; 0 means without limit, -1 used up. */
  readonly num_uses: number
  /** Milliseconds. */
  readonly created: number
  /** Milliseconds; null means never. */
  readonly expires: number | null
  /** The TTL granted when it was made, in seconds. */
  readonly creation_ttl: number
  /** The TTL granted last, by its making or by a renewal, in seconds. */
  readonly last_ttl: number
  /** Milliseconds of the last renewal; null without one. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** Seconds; 0 means none. */
  readonly explicit_max_ttl: number
  /** Seconds; 0 means none. */
  readonly period: number
  /** The id of the parent token that it ends with; empty for an orphan. */
  readonly parent: string
  /** The name of the token role that made it, or empty. */
  readonly role: string
  /** The id of its entity, or empty. */
  readonly entity: string
  readonly bound_cidrs: readonly string[]
  /** Names its cubbyhole; empty for batch tokens. */
  readonly cubbyhole: string
  /** The uuid of the auth mount that made it; the token ends with the mount. */
  readonly mount: string
  /**
   * `revoked`: ended together with all it made, though their records are still there. `orphaning`: ended alone; its children are being
   * made orphans.
   */
  readonly state: 'live' | 'revoked' | 'orphaning'
  /** For a token made by a login: what its auth method needs for a renewal. */
  readonly login?: Readonly<Record<string, string>>
  /** The number of the last ending that had begun when it was stored: only later ones apply to it. Absent means 0. */
  readonly era?: number
  /** For a token that its maker chose: the key of its {@link CHOSEN}. */
  readonly chosen?: string
}
