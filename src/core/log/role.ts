/**
 * The role of a cluster in replication is stored in one record. Every commit that changes the content of records of class `r` or `l`
 * (replicated to all secondaries, or only to DR secondaries) requires that the version of this record is unchanged. So a role change takes
 * effect between two commits, for all processes that share the store.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { withFormat } from '../contract/record-kind.ts'

/**
 * The storage key of the role record. The record is encrypted JSON. A store that was never part of a replication set has no role record.
 */
export const ROLE_KEY = 'i/core/replication'

/**
 * `bootstrapping`: the cluster is becoming a secondary. It deletes its previous data and answers no requests.
 */
export type ReplicationMode = 'disabled' | 'primary' | 'secondary' | 'bootstrapping'

/** A position in the history of a set. The index counts the log entries of the cluster that began the epoch. */
export interface Position {
  readonly epoch: number
  readonly index: number
}

/** A cluster's membership in one set. */
export interface SetMembership {
  readonly mode: ReplicationMode
  /** The epoch in which a primary writes; 0 for all other modes. */
  readonly epoch: number
  /** The random id of the epoch in hexadecimal; empty for all other modes. */
  readonly origin: string
}

/** The membership in the performance set, and the properties that both sets share. */
export interface Role extends SetMembership {
  /** The membership in the DR set; absent if the cluster is not in one. A DR secondary is not a member of the performance set. */
  readonly dr?: SetMembership
  /** A value that changes with every change of the role. */
  readonly era: number
  /**
   * The number of events after which this cluster's counts of key uses may be too low: each time it took over from a lost primary, and each
   * time its store was restored from a backup. After such an event, every counter adds 2^20 uses at its next reservation, for uses that may
   * be missing. Absent means 0.
   */
  readonly gaps?: number
}

export const NOT_A_MEMBER: SetMembership = Object.freeze({ mode: 'disabled', epoch: 0, origin: '' })

export const NOT_REPLICATED: Role = Object.freeze({ ...NOT_A_MEMBER, era: 0 })

const FORMAT = 1

export const encodeRole = (role: Role): Uint8Array => withFormat(FORMAT, toUtf8(JSON.stringify(role)))

export const decodeRole = (stored: Uint8Array): Role => Object.freeze(JSON.parse(fromUtf8(stored.subarray(1))) as Role)

const isMember = ({ mode }: SetMembership): boolean => mode === 'primary' || mode === 'secondary'

/** Whether commits of a cluster with this role add frames to the replication log. */
export const keepsLog = (role: Role): boolean => isMember(role) || (role.dr !== undefined && isMember(role.dr))

const isFollowing = ({ mode }: SetMembership): boolean => mode === 'secondary' || mode === 'bootstrapping'

/**
 * Whether another cluster writes the records of class `r` (replicated to all secondaries). If so, this cluster may write them only when it
 * applies entries of that cluster's log.
 */
export const isFollower = (role: Role): boolean => isFollowing(role) || isMirror(role)

/**
 * Whether another cluster writes all records except those of class `i` (never replicated). If so, this cluster answers no requests and runs
 * no background work on the records of the other classes.
 */
export const isMirror = ({ dr }: Role): boolean => dr !== undefined && isFollowing(dr)

/** Whether the cluster is deleting its previous data in order to become a secondary. */
export const isBecomingSecondary = ({ mode, dr }: Role): boolean => mode === 'bootstrapping' || dr?.mode === 'bootstrapping'
