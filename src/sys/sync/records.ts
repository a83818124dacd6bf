/**
 * What is kept of secret sync, among the kernel's own records.
 */
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { SyncConfig, SyncGranularity } from './port.ts'
import type { SyncType } from './types.ts'

/** Why all associations of a destination end: asked to (`force`: whatever the store says), or its namespace is gone. */
export type DestinationEnding = 'purge' | 'force' | 'namespace'

export interface SyncDestinationRecord {
  readonly config: SyncConfig
  readonly granularity: SyncGranularity
  /** Empty: the one for the type. */
  readonly template: string
  readonly custom_tags: Readonly<Record<string, string>>
  /** Random; another one after each change, so that who has a session open knows that it is out of date. */
  readonly generation: string
  readonly ending?: DestinationEnding
  /** The path of the namespace, of a destination that uses credentials of the process: it holds after the namespace is deleted. */
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

/** An external secret: a whole secret, or one of its keys. */
export interface SyncRow {
  /** Of granularity secret-key. */
  readonly key?: string
  /** As the store has it; empty for a key whose name the store cannot take, or that belongs to another secret. */
  readonly name: string
  /** What the store tells names apart by. */
  readonly fold: string
  /** It is not wanted outside any more. */
  readonly gone?: true
  readonly status: SyncStatus
  /** Milliseconds: the last change of status. */
  readonly updated: number
  /** The keyed digest of what is known to be outside; absent: nothing is, or nobody knows. */
  readonly digest?: string
  /** The keyed digest of what was last pushed, whatever became of it. */
  readonly tried?: string
  /** Counts values that were pushed. */
  readonly turn: number
  /** What the store calls the value. */
  readonly external?: string
  /** The names of the tags that were set. */
  readonly tags?: readonly string[]
  /** The place, as `placeOf` has it, where this association created or adopted the external secret, or was about to create it. */
  readonly claimed?: string
  /** The next push may replace a secret that this association did not create. */
  readonly adopt?: true
  /** Why the last push was refused here, before the store was asked to write. */
  readonly refused?: 'not_owned'
}

export interface Association {
  readonly accessor: string
  /** As of the last `set`. */
  readonly granularity: SyncGranularity
  readonly template: string
  /** Counts the changes of what is wanted outside. */
  readonly seq: number
  /** Counts the times that everything was pushed anew, whatever was known. */
  readonly epoch: number
  /** It is to be ended: nothing is wanted outside. */
  readonly gone?: true
  /** Somebody is at it, or was when its process died. */
  readonly begun?: true
  /** What is outside may be something else than rows say. */
  readonly force?: true
  /** Milliseconds: its place in the lane; absent: there is nothing to do. */
  readonly due?: number
  /** Turns that came to nothing since the last one that did not. */
  readonly attempts: number
  /** While there is no row: of the secret as a whole. */
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

/** The destinations of a secret: ids, in order. At `r/core/sync-secret/<mount uuid>/<path>`. */
export interface SyncedSecret {
  readonly destinations: readonly string[]
}
export const SYNCED_SECRET = /* @__PURE__ */ jsonRecord<SyncedSecret>({ folder: 'sync-secret', guarded: true })

export const secretId = ({ mount, path }: Pick<AssociationName, 'mount' | 'path'>): string => `${mount}/${path}`

/** Whose an external name is: the id of the association. At `r/core/sync-name/<destination>/<fold>`. */
export const EXTERNAL_NAME = /* @__PURE__ */ jsonRecord<{ readonly association: string }>({ folder: 'sync-name' })

/** A secret that has changed, or will by itself, and whose associations do not know yet. */
export interface OutboxEntry {
  /** Counts its changes. */
  readonly seq: number
  /** Milliseconds: from then on. */
  readonly due: number
  /** The last of its destinations that knows already. */
  readonly told?: string
}

/** At `r/core/sync-outbox/<mount uuid>/<path>`. */
export const SYNC_OUTBOX = /* @__PURE__ */ jsonRecord<OutboxEntry>({ folder: 'sync-outbox' })

/** How far a job has come. At `r/core/sync-walk/<item of the lane>`. */
export interface JobCursor {
  readonly after: string
  /** Of a mount: the last destination of the secret behind `after` that was reached. */
  readonly told?: string
  /** Of a destination's associations: those that failed, all of them, or all of them for good. */
  readonly mode: 'failed' | 'all' | 'end'
  /** Milliseconds. */
  readonly due: number
}
export const JOB_CURSOR = /* @__PURE__ */ jsonRecord<JobCursor>({ folder: 'sync-walk' })
