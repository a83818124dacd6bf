/** The types of external stores, and Vault's names for them. */
import type { Environment } from '../../core/contract/tx.ts'

export const SYNC_TYPES = ['cloud-a-sm', 'cloud-b-kv', 'cloud-c-sm', 'repohost', 'webhost-project'] as const
export type SyncType = (typeof SYNC_TYPES)[number]

/** Vault's names for the types. Requests may use either name; records, policies and the audit log use the names in {@link SYNC_TYPES}. */
const VAULT_TYPES = {
  'cloud-a-sm': 'aws-sm',
  'cloud-b-kv': 'azure-kv',
  'cloud-c-sm': 'gcp-sm',
  repohost: 'gh',
  'webhost-project': 'vercel-project',
} as const satisfies Record<SyncType, string>
export type VaultSyncType = (typeof VAULT_TYPES)[SyncType]

/** A type in responses: Vault's name, if the kernel uses Vault's naming. */
export type ShownSyncType = SyncType | VaultSyncType

export const otherNameOf = (type: SyncType): VaultSyncType => VAULT_TYPES[type]

export const shownType = ({ ciphertextPrefix }: Pick<Environment, 'ciphertextPrefix'>, type: SyncType): ShownSyncType =>
  ciphertextPrefix === 'vault' ? VAULT_TYPES[type] : type

/** The names in {@link SYNC_TYPES}, keyed by Vault's names. */
export const TYPE_ALIASES = /* @__PURE__ */ Object.fromEntries(SYNC_TYPES.map((type) => [VAULT_TYPES[type], type])) as Readonly<
  Record<VaultSyncType, SyncType>
>

/** Paths use these names, too. */
export const TYPE_IN_PATH = { after: 'sync/destinations/', aliases: TYPE_ALIASES } as const
