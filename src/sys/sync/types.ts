/** The types of external stores, and Vault's names for them. */
import type { Environment } from '../../core/contract/environment.ts'

export const SYNC_TYPES = ['cloud-a-sm', 'cloud-b-kv', 'cloud-c-sm', 'repohost', 'webhost-project'] as const
export type SyncType = (typeof SYNC_TYPES)[number]

/**
 * Vault's names for the types. Requests can use them instead of the names in {@link SYNC_TYPES}, which records, policies and the audit log
 * use.
 */
const VAULT_TYPES = {
  'cloud-a-sm': 'aws-sm',
  'cloud-b-kv': 'azure-kv',
  'cloud-c-sm': 'gcp-sm',
  repohost: 'gh',
  'webhost-project': 'vercel-project',
} as const satisfies Record<SyncType, string>
export type VaultSyncType = (typeof VAULT_TYPES)[SyncType]

/** The name of a type in responses. It is Vault's name if the kernel was created with Vault's naming. */
export type ShownSyncType = SyncType | VaultSyncType

export const otherNameOf = (type: SyncType): VaultSyncType => VAULT_TYPES[type]

export const shownType = ({ ciphertextPrefix }: Pick<Environment, 'ciphertextPrefix'>, type: SyncType): ShownSyncType =>
  ciphertextPrefix === 'vault' ? VAULT_TYPES[type] : type

/** The names in {@link SYNC_TYPES}, keyed by Vault's names. */
export const TYPE_ALIASES = /* @__PURE__ */ Object.fromEntries(SYNC_TYPES.map((type) => [VAULT_TYPES[type], type])) as Readonly<
  Record<VaultSyncType, SyncType>
>

/** Lets requests use Vault's names in paths, too: `sync/destinations/aws-sm/...`. */
export const TYPE_IN_PATH = { after: 'sync/destinations/', aliases: TYPE_ALIASES } as const
