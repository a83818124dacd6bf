/** A role's settings for the tokens of its logins, as stored. */

export type OldTokenSetting = 'num_uses' | 'bound_cidrs'

export interface TokenSettings {
  /** Seconds; 0 means the default of the mount. */
  readonly token_ttl: number
  /** Seconds; 0 means the maximum of the mount. */
  readonly token_max_ttl: number
  /** Seconds; 0 means none. */
  readonly token_explicit_max_ttl: number
  /** Seconds; 0 means none. */
  readonly token_period: number
  /** Unchanged if a request gave it under the new name; normalized if under the old name. */
  readonly token_policies: readonly string[]
  readonly token_bound_cidrs: readonly string[]
  readonly token_no_default_policy: boolean
  /** 0 means unlimited. */
  readonly token_num_uses: number
  readonly token_type: 'default' | 'service' | 'batch'
  /** Settings that were last set under their old names. Responses show them under those names, too. */
  readonly old_names: readonly OldTokenSetting[]
}
