/**
 * What a role of an auth method says of the tokens of its logins, as it is stored.
 */

export type OldName = 'num_uses' | 'bound_cidrs'

export interface TokenSettings {
  /** Seconds; 0 is as the mount says. */
  readonly token_ttl: number
  /** Seconds; 0 is as the mount says. */
  readonly token_max_ttl: number
  /** Seconds; 0 none. */
  readonly token_explicit_max_ttl: number
  /** Seconds; 0 none. */
  readonly token_period: number
  /** As they were given by the new name, normalised where they were by the old. */
  readonly token_policies: readonly string[]
  readonly token_bound_cidrs: readonly string[]
  readonly token_no_default_policy: boolean
  /** 0 is without limit. */
  readonly token_num_uses: number
  readonly token_type: 'default' | 'service' | 'batch'
  /** Which of them were last set by their old names, and are shown by those too. */
  readonly old_names: readonly OldName[]
}
