/**
 * The types of external stores: in the API document (spec document 2, "Secret sync"), and in Vault.
 */
import type { Environment } from '../../core/contract/tx.ts'

export const SYNC_TYPES = ['cloud-a-sm', 'cloud-b-kv', 'cloud-c-sm', 'repohost', 'webhost-project'] as const
export type SyncType = (typeof SYNC_TYPES)[number]

/** Vault's names of the types. Requests may use either name; records, policies and the audit log have the names of {@link SYNC_TYPES}. */
const VAULT_TYPES = {
  'cloud-a-sm': 'aws-sm',
  'cloud-b-kv': 'azure-kv',
  'cloud-c-sm': 'gcp-sm',
  repohost: 'gh',
  'webhost-project': 'vercel-project',
} as const satisfies Record<SyncType, string>
export type VaultSyncType = (typeof VAULT_TYPES)[SyncType]

/** A type in answers: under the naming `vault` Vault's name. */
export type ShownSyncType = SyncType | VaultSyncType

export const otherNameOf = (type: SyncType): VaultSyncType => VAULT_TYPES[type]

export const shownType = ({ ciphertextPrefix }: Pick<Environment, 'ciphertextPrefix'>, type: SyncType): ShownSyncType =>
  ciphertextPrefix === 'vault' ? VAULT_TYPES[type] : type

/** The document's names by Vault's. */
export const TYPE_ALIASES = /* @__PURE__ */ Object.fromEntries(SYNC_TYPES.map((type) => [VAULT_TYPES[type], type])) as Readonly<
  Record<VaultSyncType, SyncType>
>

/** In paths, too. */
export const TYPE_IN_PATH = { after: 'sync/destinations/', aliases: TYPE_ALIASES } as const
