/**
 * The records of secret sync. They are stored in the keyspace of the kernel itself. An association assigns a secret to a destination. A
 * turn is one synchronization of one association.
 */
import { coreRecord } from '../../core/contract/core-record.ts'
import type { SyncConfig, SyncGranularity } from './port.ts'
import type { SyncType } from './types.ts'

/**
 * Why all associations of a destination are being removed. `purge` and `force`: a request deletes the destination; with `force`, external
 * secrets that cannot be removed are abandoned. `namespace`: the namespace of the destination was deleted.
 */
export type DestinationEnding = 'purge' | 'force' | 'namespace'

export interface SyncDestinationRecord {
  readonly config: SyncConfig
  readonly granularity: SyncGranularity
  /** The template for external names. If empty, the default template of the destination's type applies. */
  readonly template: string
  readonly custom_tags: Readonly<Record<string, string>>
  /** A random string that changes with each change of the destination, so that other processes notice that their session is outdated. */
  readonly generation: string
  readonly ending?: DestinationEnding
  /**
   * The path of the destination's namespace; present only if the destination uses the credentials of the process. The path is stored
   * because it decides whether these credentials may be used, even after the namespace was deleted.
   */
  readonly ambient_in?: string
}

/** At `r/core/sync-destination/<namespace uuid>/<type>/<name>`. */
export const SYNC_DESTINATION = /* @__PURE__ */ coreRecord<SyncDestinationRecord>({ folder: 'sync-destination', guarded: true })

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

/** The state of one external secret: the copy of an entire secret, or of one of the secret's keys. */
export interface SyncRow {
  /** The key of the secret; present only with granularity secret-key. */
  readonly key?: string
  /** The name in the external store; empty if the store does not allow this name, or if another association has the name. */
  readonly name: string
  /** The name as the external store compares names: the result of `SyncRules.foldName`. */
  readonly fold: string
  /** Whether the external secret is to be removed. */
  readonly gone?: true
  readonly status: SyncStatus
  /** When the status last changed, in milliseconds since 1970. */
  readonly updated: number
  /** The keyed digest of the value in the external store; absent if the store has no value or the value is unknown. */
  readonly digest?: string
  /** The keyed digest of the value that was last pushed, whether or not the push succeeded. */
  readonly tried?: string
  /** Incremented for each new value and after each removal. Makes the ids of calls to the external store unique. */
  readonly turn: number
  /** The identifier that the external store gave to the version. */
  readonly external?: string
  /** The names of the tags that were set on the external secret. */
  readonly tags?: readonly string[]
  /**
   * The location of the external secret, as computed by `storeLocationOf`. Set after each push and, in an external store without marks, also
   * before the push that creates the secret. Without marks, only this member proves that the association owns the secret.
   */
  readonly claimed?: string
  /** Whether the next push may replace a secret that this association did not create. */
  readonly adopt?: true
  /** Why the last push was refused before a write call to the external store. */
  readonly refused?: 'not_owned'
}

export interface Association {
  readonly accessor: string
  /** The granularity of the destination at the time of the last `set`. */
  readonly granularity: SyncGranularity
  /** The template of the destination at the time of the last `set`. */
  readonly template: string
  /** The number of changes of the desired state. */
  readonly seq: number
  /**
   * Starts at the time of creation in milliseconds, and is incremented each time all values are pushed again. A part of the ids of calls.
   */
  readonly epoch: number
  /** Whether the association is being removed, so that no external secret is desired. */
  readonly gone?: true
  /** Whether a synchronization is in progress, or was in progress when its process stopped. */
  readonly begun?: true
  /** Whether the next synchronization must push all values again, because the external state may differ from the state in `rows`. */
  readonly force?: true
  /** When the next synchronization is to start, in milliseconds since 1970; absent if there is nothing to do. */
  readonly due?: number
  /** The number of consecutive synchronizations with a failure that is worth a retry. */
  readonly attempts: number
  /** The status of the secret as a whole. Shown only if there are no rows. */
  readonly status: SyncStatus
  readonly updated: number
  readonly rows: readonly SyncRow[]
}

/** At `r/core/sync-association/<destination>/<mount uuid>/<path>`. */
export const SYNC_ASSOCIATION = /* @__PURE__ */ coreRecord<Association>({ folder: 'sync-association', guarded: true })

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

/** The sorted ids of a secret's destinations. Stored at `r/core/sync-secret/<mount uuid>/<path>`. */
export interface SyncedSecret {
  readonly destinations: readonly string[]
}
export const SYNCED_SECRET = /* @__PURE__ */ coreRecord<SyncedSecret>({ folder: 'sync-secret', guarded: true })

export const secretId = ({ mount, path }: Pick<AssociationName, 'mount' | 'path'>): string => `${mount}/${path}`

/** The id of the association that owns an external name. Stored at `r/core/sync-name/<destination>/<fold>`; see `SyncRow.fold`. */
export const EXTERNAL_NAME = /* @__PURE__ */ coreRecord<{ readonly association: string }>({ folder: 'sync-name' })

/** A secret that has changed or will expire, and whose associations are not all marked as changed yet. */
export interface OutboxEntry {
  /** The number of changes since the entry was created. */
  readonly seq: number
  /** When the change takes effect, in milliseconds since 1970. */
  readonly due: number
  /** The id of the last destination whose association was marked as changed; absent if none was. */
  readonly told?: string
}

/** At `r/core/sync-outbox/<mount uuid>/<path>`. */
export const SYNC_OUTBOX = /* @__PURE__ */ coreRecord<OutboxEntry>({ folder: 'sync-outbox' })

/** The progress of a background job. Stored at `r/core/sync-walk/<id under which the job is scheduled>`. */
export interface JobCursor {
  /** The last handled record: an association, a secret or a destination, depending on the job. */
  readonly after: string
  /** Only in the job of a mount: the last handled destination of the secret that follows `after`. */
  readonly told?: string
  /** Whether to push only the failed associations, to push all associations, or to remove all associations. */
  readonly mode: 'failed' | 'all' | 'end'
  /** Milliseconds. */
  readonly due: number
}
export const JOB_CURSOR = /* @__PURE__ */ coreRecord<JobCursor>({ folder: 'sync-walk' })
