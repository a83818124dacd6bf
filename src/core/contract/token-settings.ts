/** A role's settings for the tokens of its logins, as stored. */

export type OldTokenSetting = 'num_uses' | 'bound_cidrs'

export interface TokenSettings {
  /** Seconds; 0 means the mount's default. */
  readonly token_ttl: number
  /** Seconds; 0 means the mount's maximum. */
  readonly token_max_ttl: number
  /** Seconds; 0 means none. */
  readonly token_explicit_max_ttl: number
  /** Seconds; 0 means none. */
  readonly token_period: number
  /** As given under the new name; normalized if given under the old one. */
  readonly token_policies: readonly string[]
  readonly token_bound_cidrs: readonly string[]
  readonly token_no_default_policy: boolean
  /** 0 means unlimited. */
  readonly token_num_uses: number
  readonly token_type: 'default' | 'service' | 'batch'
  /** The settings that were last set under their old names. They are also shown under those. */
  readonly old_names: readonly OldTokenSetting[]
}
