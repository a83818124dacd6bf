/** The records of secret sync. They are stored in the keyspace of the kernel itself. */
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { SyncConfig, SyncGranularity } from './port.ts'
import type { SyncType } from './types.ts'

/**
 * Why all associations of a destination are being removed: by request (`force`: even if the store fails), or because its namespace was
 * deleted.
 */
export type DestinationEnding = 'purge' | 'force' | 'namespace'

export interface SyncDestinationRecord {
  readonly config: SyncConfig
  readonly granularity: SyncGranularity
  /** Empty means the default of the type. */
  readonly template: string
  readonly custom_tags: Readonly<Record<string, string>>
  /** A random string that changes with each change of the destination, so that other processes notice that their session is outdated. */
  readonly generation: string
  readonly ending?: DestinationEnding
  /**
   * The path of the namespace, if the destination uses the credentials of the process. It is needed even after the namespace was deleted.
   */
  readonly ambient_in?: string
}

/** At `r/core/sync-destination/<namespace uuid>/<type>/<name>`. */
export const SYNC_DESTINATION = /* @__PURE__ */ jsonRecord<SyncDestinationRecord>({ folder: 'sync-destination', guarded: true })

export interface DestinationName {
  /** UUID. */
  readonly namespace: string
  readonly type: SyncType
  readonly name: string
}

export const destinationId = ({ namespace, type, name }: DestinationName): string => `${namespace}/${type}/${name}`

export function readDestinationId(id: string): DestinationName {
  const [namespace = '', type = '', name = ''] = id.split('/')
  return { namespace, type: type as SyncType, name }
}

export type SyncStatus = 'PENDING' | 'SYNCED' | 'UNSYNCED' | 'INTERNAL_ERROR' | 'CLIENT_SIDE_ERROR' | 'EXTERNAL_SERVICE_ERROR'

/** The state of one external secret, which is an entire secret or one of its keys. */
export interface SyncRow {
  /** Present only with granularity secret-key. */
  readonly key?: string
  /** The name in the store; empty for a key whose name is invalid in the store or belongs to another secret. */
  readonly name: string
  /** The name in the form in which the store compares names. */
  readonly fold: string
  /** Whether the external secret is to be removed. */
  readonly gone?: true
  readonly status: SyncStatus
  /** When the status last changed, in milliseconds. */
  readonly updated: number
  /** The keyed digest of the external value; absent if there is no external value, or it is unknown. */
  readonly digest?: string
  /** The keyed digest of the value that was last pushed, whether or not the push succeeded. */
  readonly tried?: string
  /** The number of values pushed so far. */
  readonly turn: number
  /** The identifier of the version in the store. */
  readonly external?: string
  /** The names of the tags that were set on the external secret. */
  readonly tags?: readonly string[]
  /**
   * The location of the external secret, as computed by `storeLocationOf`. Set before this association creates the secret, or when it
   * adopts the secret.
   */
  readonly claimed?: string
  /** Whether the next push may replace a secret that this association did not create. */
  readonly adopt?: true
  /** Why the last push was refused before a write call to the store. */
  readonly refused?: 'not_owned'
}

export interface Association {
  readonly accessor: string
  /** The template at the time of the last `set`. */
  readonly granularity: SyncGranularity
  readonly template: string
  /** The number of changes of the desired state. */
  readonly seq: number
  /** How many times everything was pushed again regardless of the recorded external state. */
  readonly epoch: number
  /** Whether the association is being removed, so that no external secret is desired. */
  readonly gone?: true
  /** Whether a turn is in progress, or was when its process died. */
  readonly begun?: true
  /** Whether the external state may differ from the rows. */
  readonly force?: true
  /** The due time in the lane, in milliseconds; absent if there is nothing to do. */
  readonly due?: number
  /** The number of consecutive failed turns. */
  readonly attempts: number
  /** The status of the secret as a whole, while there are no rows. */
  readonly status: SyncStatus
  readonly updated: number
  readonly rows: readonly SyncRow[]
}

/** At `r/core/sync-association/<destination>/<mount uuid>/<path>`. */
export const SYNC_ASSOCIATION = /* @__PURE__ */ jsonRecord<Association>({ folder: 'sync-association', guarded: true })

export interface AssociationName {
  /** The id of the destination. */
  readonly destination: string
  /** UUID. */
  readonly mount: string
  readonly path: string
}

export const associationId = ({ destination, mount, path }: AssociationName): string => `${destination}/${mount}/${path}`

export function readAssociationId(id: string): AssociationName {
  const [namespace, type, name, mount = '', ...path] = id.split('/')
  return { destination: `${namespace}/${type}/${name}`, mount, path: path.join('/') }
}

/** The ids of a secret's destinations, sorted. At `r/core/sync-secret/<mount uuid>/<path>`. */
export interface SyncedSecret {
  readonly destinations: readonly string[]
}
export const SYNCED_SECRET = /* @__PURE__ */ jsonRecord<SyncedSecret>({ folder: 'sync-secret', guarded: true })

export const secretId = ({ mount, path }: Pick<AssociationName, 'mount' | 'path'>): string => `${mount}/${path}`

/** The association to which an external name belongs. Stored at `r/core/sync-name/<destination>/<fold>`. */
export const EXTERNAL_NAME = /* @__PURE__ */ jsonRecord<{ readonly association: string }>({ folder: 'sync-name' })

/** A secret that has changed, or will change by itself, and whose associations were not updated yet. */
export interface OutboxEntry {
  /** The number of changes of the secret. */
  readonly seq: number
  /** When the change takes effect, in milliseconds. */
  readonly due: number
  /** The last destination whose association was updated. */
  readonly told?: string
}

/** At `r/core/sync-outbox/<mount uuid>/<path>`. */
export const SYNC_OUTBOX = /* @__PURE__ */ jsonRecord<OutboxEntry>({ folder: 'sync-outbox' })

/** The progress of a job. At `r/core/sync-walk/<item of the lane>`. */
export interface JobCursor {
  readonly after: string
  /** For a mount: the last destination that was handled for the secret after `after`. */
  readonly told?: string
  /** For a destination: whether to handle its failed associations, handle all of them, or remove all of them. */
  readonly mode: 'failed' | 'all' | 'end'
  /** Milliseconds. */
  readonly due: number
}
export const JOB_CURSOR = /* @__PURE__ */ jsonRecord<JobCursor>({ folder: 'sync-walk' })
