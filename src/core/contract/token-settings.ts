/**
 * A role's settings for the tokens of its logins, as they are stored.
 */

export type OldName = 'num_uses' | 'bound_cidrs'

export interface TokenSettings {
  /** Seconds; 0 means the mount's. */
  readonly token_ttl: number
  /** Seconds; 0 means the mount's. */
  readonly token_max_ttl: number
  /** Seconds; 0 means none. */
  readonly token_explicit_max_ttl: number
  /** Seconds; 0 means none. */
  readonly token_period: number
  /** As given by the new name; normalised where given by the old one. */
  readonly token_policies: readonly string[]
  readonly token_bound_cidrs: readonly string[]
  readonly token_no_default_policy: boolean
  /** 0 means without limit. */
  readonly token_num_uses: number
  readonly token_type: 'default' | 'service' | 'batch'
  /** The settings last set by their old names, which are also shown under those. */
  readonly old_names: readonly OldName[]
}
