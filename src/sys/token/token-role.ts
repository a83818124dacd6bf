import { coreRecord } from '../../core/contract/core-record.ts'
import type { NamespaceRecord } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'

export type RoleTokenType = 'default-service' | 'default-batch' | 'service' | 'batch'

/** The former names of three settings, from Vault's first releases. */
export type OldTokenRoleSetting = 'period' | 'explicit_max_ttl' | 'bound_cidrs'

export interface TokenRole {
  readonly allowed_policies: readonly string[]
  readonly disallowed_policies: readonly string[]
  readonly allowed_policies_glob: readonly string[]
  readonly disallowed_policies_glob: readonly string[]
  readonly orphan: boolean
  readonly renewable: boolean
  readonly path_suffix: string
  readonly allowed_entity_aliases: readonly string[]
  readonly token_type: RoleTokenType
  /** The period in seconds; 0 means that tokens of the role are not periodic. */
  readonly token_period: number
  /** The maximum lifetime including renewals, in seconds; 0 means no maximum. */
  readonly token_explicit_max_ttl: number
  /** The maximum number of uses; 0 means no limit. */
  readonly token_num_uses: number
  readonly token_bound_cidrs: readonly string[]
  readonly token_no_default_policy: boolean
  /** The settings that a request last set under their former names. Responses show these settings under both names. */
  readonly old_names: readonly OldTokenRoleSetting[]
}

/** Stored at `r/core/token-role/<namespace uuid>/<name>`. */
export const TOKEN_ROLE = /* @__PURE__ */ coreRecord<TokenRole>({ folder: 'token-role' })

export const roleKey = (namespace: Pick<NamespaceRecord, 'uuid'>, name: string): string => `${namespace.uuid}/${name}`

/** Reads the role with this name in the namespace of the call. */
export const roleNamed = (tx: Tx, name: string): TokenRole | undefined => tx.get(TOKEN_ROLE, roleKey(tx.call.namespace, name))
