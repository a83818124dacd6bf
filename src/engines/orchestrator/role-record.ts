import { foldName } from '../../core/base/fold-name.ts'
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { TokenSettings } from '../../core/contract/token-settings.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'

export const ALIAS_NAME_SOURCES = ['serviceaccount_uid', 'serviceaccount_name'] as const

export type AliasNameSource = (typeof ALIAS_NAME_SOURCES)[number]

export interface OrchestratorRole {
  /** Names of service accounts, and patterns with `*`. */
  readonly bound_service_account_names: readonly string[]
  readonly bound_service_account_namespaces: readonly string[]
  /** The required audience of tokens. An empty string means any audience. */
  readonly audience: string
  readonly alias_name_source: AliasNameSource
  readonly token: TokenSettings
}

/** Roles, stored at `r/<mount>/role/<name in lower case>`. */
export const ORCHESTRATOR_ROLE = /* @__PURE__ */ jsonRecord<OrchestratorRole>({ folder: 'role' })

/** Role names are case-insensitive. */
export const roleId = foldName

export const ROLE_NAME = f.name('The name of the role, which is case-insensitive.').ignoring('case')

export const findRole = (tx: Tx, name: string): OrchestratorRole | undefined => tx.get(ORCHESTRATOR_ROLE, roleId(name))
