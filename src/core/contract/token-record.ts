/**
 * A token as it is stored.
 */

export interface TokenRecord {
  readonly type: 'service' | 'batch'
  /** Empty for batch tokens. With the namespace's suffix. */
  readonly accessor: string
  /** The uuid of the namespace that made it: its policies are of that one. */
  readonly namespace: string
  /** Trimmed, lower case, sorted, each once. */
  readonly policies: readonly string[]
  /** The request that made it, below the namespace. */
  readonly path: string
  readonly meta: Readonly<Record<string, string>> | null
  readonly display_name: string
  /** What is left; 0 is without limit, -1 used up. */
  readonly num_uses: number
  /** Milliseconds. */
  readonly created: number
  /** Milliseconds; null never. */
  readonly expires: number | null
  /** Seconds: what it was given when it was made. */
  readonly creation_ttl: number
  /** Seconds: what it was last given, by its making or by a renewal. */
  readonly last_ttl: number
  /** Milliseconds of the last renewal; null without one. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** Seconds; 0 none. */
  readonly explicit_max_ttl: number
  /** Seconds; 0 none. */
  readonly period: number
  /** The id of the token it dies with; empty for an orphan. */
  readonly parent: string
  /** The name of the token role that made it, or empty. */
  readonly role: string
  /** The id of its entity, or empty. */
  readonly entity: string
  readonly bound_cidrs: readonly string[]
  /** Names its cubbyhole; empty for batch tokens. */
  readonly cubbyhole: string
  /** The uuid of the auth mount that made it: it dies with that. */
  readonly mount: string
  /**
   * `revoked`: dead, and all it made with it, though their records are still there. `orphaning`: dead alone; its children are being made
   * orphans.
   */
  readonly state: 'live' | 'revoked' | 'orphaning'
  /** Of a token that a login made: what its auth method needs for a renewal. */
  readonly login?: Readonly<Record<string, string>>
  /** The number of the last ending that had begun when it was stored: later ones are about it. Absent is 0. */
  readonly era?: number
  /** Of a token that its maker chose: the key of its {@link CHOSEN}. */
  readonly chosen?: string
}
