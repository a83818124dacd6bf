/**
 * What a cluster is among others: the record that every commit of replicated or local records checks, so that a role changes for all
 * processes of a store at one commit.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { withFormat } from '../contract/record-kind.ts'

/** Sealed JSON. Absent in a store that was never replicated. */
export const ROLE_KEY = 'i/core/replication'

/**
 * `bootstrapping`: becoming a secondary; what the cluster held is being cleared away, and nobody is served.
 */
export type Mode = 'disabled' | 'primary' | 'secondary' | 'bootstrapping'

/** A place in the history of a set: the index counts records of the log of whoever began the epoch. */
export interface Position {
  readonly epoch: number
  readonly index: number
}

/** The part of a cluster in one set. */
export interface PartInSet {
  readonly mode: Mode
  /** The epoch that a primary writes in; 0 for all others. */
  readonly epoch: number
  /** Names that epoch beside its number, in hexadecimal; empty for all others. */
  readonly origin: string
}

/** The part in the set of clusters that serve, and what both sets share. */
export interface Role extends PartInSet {
  /** The part in the set for disaster recovery; absent: in none. Who is a secondary there has no part among those that serve. */
  readonly dr?: PartInSet
  /** Changes with every change of the role. */
  readonly era: number
  /**
   * How often this cluster may have missed uses of keys: it took over from a primary that is lost, or its store is a restored backup. Each
   * counter makes up for it at its next reservation. Absent: never.
   */
  readonly gaps?: number
}

export const NO_PART: PartInSet = Object.freeze({ mode: 'disabled', epoch: 0, origin: '' })

export const NOT_REPLICATED: Role = Object.freeze({ ...NO_PART, era: 0 })

const FORMAT = 1

export const encodeRole = (role: Role): Uint8Array => withFormat(FORMAT, toUtf8(JSON.stringify(role)))

export const decodeRole = (stored: Uint8Array): Role => Object.freeze(JSON.parse(fromUtf8(stored.subarray(1))) as Role)

const isMember = ({ mode }: PartInSet): boolean => mode === 'primary' || mode === 'secondary'

/** Whether commits add a record to the log. */
export const keepsLog = (role: Role): boolean => isMember(role) || (role.dr !== undefined && isMember(role.dr))

const follows = ({ mode }: PartInSet): boolean => mode === 'secondary' || mode === 'bootstrapping'

/** Whether replicated records come from elsewhere, so that nobody else writes them here. */
export const isFollower = (role: Role): boolean => follows(role) || isMirror(role)

/** Whether all records but the store's own come from elsewhere: nothing is served from them, and no work is done on them. */
export const isMirror = ({ dr }: Role): boolean => dr !== undefined && follows(dr)

/** Whether what the cluster held is being cleared away. */
export const isBecomingSecondary = ({ mode, dr }: Role): boolean => mode === 'bootstrapping' || dr?.mode === 'bootstrapping'
