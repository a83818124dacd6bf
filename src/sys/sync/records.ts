/** The records of secret sync, in the kernel's own keyspace. */
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { SyncConfig, SyncGranularity } from './port.ts'
import type { SyncType } from './types.ts'

/**
 * Why all associations of a destination are being removed: on request (`force`: even if the store fails), or because its namespace was
 * deleted.
 */
export type DestinationEnding = 'purge' | 'force' | 'namespace'

export interface SyncDestinationRecord {
  readonly config: SyncConfig
  readonly granularity: SyncGranularity
  /** Empty: the default of the type. */
  readonly template: string
  readonly custom_tags: Readonly<Record<string, string>>
  /** A new random text after each change, so that other processes see that their session is outdated. */
  readonly generation: string
  readonly ending?: DestinationEnding
  /**
   * The path of the namespace, if the destination uses the credentials of the process: it is still needed after the namespace is deleted.
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

/** The state of one external secret: a whole secret, or one of its keys. */
export interface SyncRow {
  /** Only with granularity secret-key. */
  readonly key?: string
  /** The name in the store; empty for a key whose name is invalid in the store or belongs to another secret. */
  readonly name: string
  /** The name in the form in which the store compares names. */
  readonly fold: string
  /** The external secret is to be removed. */
  readonly gone?: true
  readonly status: SyncStatus
  /** Milliseconds: the last change of status. */
  readonly updated: number
  /** The keyed digest of the external value; absent if there is no external value, or it is unknown. */
  readonly digest?: string
  /** The keyed digest of the last value that was pushed, whether or not the push succeeded. */
  readonly tried?: string
  /** Counts pushed values. */
  readonly turn: number
  /** The store's identifier of the version. */
  readonly external?: string
  /** The names of the tags that were set. */
  readonly tags?: readonly string[]
  /**
   * The location, as `storeLocationOf` computes it, if this association has created or adopted the external secret there, or was about to
   * create it.
   */
  readonly claimed?: string
  /** The next push may replace a secret that this association did not create. */
  readonly adopt?: true
  /** Why the last push was refused before the store was called to write. */
  readonly refused?: 'not_owned'
}

export interface Association {
  readonly accessor: string
  /** As of the last `set`. */
  readonly granularity: SyncGranularity
  readonly template: string
  /** Counts changes of the desired state. */
  readonly seq: number
  /** Counts how often everything was pushed again regardless of the known state. */
  readonly epoch: number
  /** The association is being removed: no external secret is desired. */
  readonly gone?: true
  /** A turn is in progress, or was when its process died. */
  readonly begun?: true
  /** The external state may differ from the rows. */
  readonly force?: true
  /** Milliseconds: the due time in the lane; absent if there is nothing to do. */
  readonly due?: number
  /** Failed turns since the last successful one. */
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

/** The association that owns an external name. At `r/core/sync-name/<destination>/<fold>`. */
export const EXTERNAL_NAME = /* @__PURE__ */ jsonRecord<{ readonly association: string }>({ folder: 'sync-name' })

/** A secret that has changed, or will change by itself, and whose associations are not updated yet. */
export interface OutboxEntry {
  /** Counts its changes. */
  readonly seq: number
  /** Milliseconds: when the change takes effect. */
  readonly due: number
  /** The last destination whose association is updated. */
  readonly told?: string
}

/** At `r/core/sync-outbox/<mount uuid>/<path>`. */
export const SYNC_OUTBOX = /* @__PURE__ */ jsonRecord<OutboxEntry>({ folder: 'sync-outbox' })

/** The progress of a job. At `r/core/sync-walk/<item of the lane>`. */
export interface JobCursor {
  readonly after: string
  /** For a mount: the last destination that was handled of the secret after `after`. */
  readonly told?: string
  /** For a destination: handle its failed associations, handle all of them, or remove all of them. */
  readonly mode: 'failed' | 'all' | 'end'
  /** Milliseconds. */
  readonly due: number
}
export const JOB_CURSOR = /* @__PURE__ */ jsonRecord<JobCursor>({ folder: 'sync-walk' })
