/**
 * The folders of the kernel's own records. Each folder declares the replication domain of its records, and a record kind that names another
 * folder does not compile.
 *
 * The declarations are in one table because every cluster must compute the same domain for a key, even if its process has not loaded the
 * part of `sys/` to which the record kind belongs.
 */

/**
 * The domain of the Merkle tree to which a record belongs. Path filters include or exclude whole domains. The records of a mount always
 * belong to the domain of the mount, so only the kernel's own records declare it.
 *
 * - `core`: the records that every secondary needs.
 * - `undivided`: records that refer to several mounts or namespaces. Only unfiltered secondaries receive them.
 * - `namespace`: the record of one namespace.
 * - `sync-item`: the record id is the id of scheduled work of secret sync, and both have the same domain.
 * - `ownerAt`: a segment of the record id, counted from 0, is the UUID of the mount or namespace to which the record belongs.
 */
export type RecordDomain = 'core' | 'undivided' | 'namespace' | 'sync-item' | { readonly ownerAt: number }

/** The domains by folder. */
export const CORE_FOLDERS = {
  accessor: 'core',
  alias: { ownerAt: 0 },
  attempt: 'core',
  'audit-chain': 'core',
  'audit-device': 'core',
  'audit-header': 'core',
  'audit-secret': 'core',
  'batch-key': 'core',
  child: 'core',
  'chosen-token': 'core',
  cluster: 'core',
  cubbyhole: 'core',
  encryptions: 'core',
  ending: 'core',
  'ending-walk': 'core',
  entity: { ownerAt: 0 },
  intent: 'core',
  lease: 'core',
  'lease-mount': 'core',
  'lease-owner': 'core',
  'lease-stuck': 'core',
  mount: { ownerAt: 0 },
  namespace: 'namespace',
  'operation-token': 'core',
  'password-policy': { ownerAt: 0 },
  plugin: 'core',
  'plugin-runtime': 'core',
  'plugin-runtime-user': 'core',
  policy: { ownerAt: 0 },
  remount: 'undivided',
  replication: 'core',
  'replication-epoch': 'core',
  'replication-peer': 'core',
  'replication-secret': 'core',
  rotation: 'core',
  salt: 'core',
  'shared-count': 'core',
  'sync-association': { ownerAt: 3 },
  'sync-destination': { ownerAt: 0 },
  'sync-name': 'undivided',
  'sync-outbox': { ownerAt: 0 },
  'sync-secret': { ownerAt: 0 },
  'sync-walk': 'sync-item',
  token: 'core',
  'token-role': { ownerAt: 0 },
  'wrapping-key': 'core',
} as const satisfies Readonly<Record<string, RecordDomain>>

export type CoreFolder = keyof typeof CORE_FOLDERS

const DOMAINS: ReadonlyMap<string, RecordDomain> = /* @__PURE__ */ new Map(Object.entries(CORE_FOLDERS))

/** Returns the domain of a folder; `core` for a folder of a newer release. */
export const domainOfFolder = (folder: string): RecordDomain => DOMAINS.get(folder) ?? 'core'
