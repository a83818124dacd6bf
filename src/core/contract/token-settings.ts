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
  /** Stored unchanged if the request used the name `token_policies`, and normalized if it used the old name `policies`. */
  readonly token_policies: readonly string[]
  readonly token_bound_cidrs: readonly string[]
  readonly token_no_default_policy: boolean
  /** 0 means unlimited. */
  readonly token_num_uses: number
  readonly token_type: 'default' | 'service' | 'batch'
  /** Settings that were last set under their old names, without the prefix `token_`. Responses then also contain the old names. */
  readonly old_names: readonly OldTokenSetting[]
}
