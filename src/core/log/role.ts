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

export interface Role {
  /** In the set of clusters that serve. */
  readonly mode: Mode
  /** The epoch that a primary writes in; 0 for all others. */
  readonly epoch: number
  /** Names that epoch beside its number, in hexadecimal; empty for all others. */
  readonly origin: string
  /** Changes with every change of the role. */
  readonly era: number
  /**
   * How often this cluster may have missed uses of keys: it took over from a primary that is lost, or its store is a restored backup. Each
   * counter makes up for it at its next reservation. Absent: never.
   */
  readonly gaps?: number
}

export const NOT_REPLICATED: Role = Object.freeze({ mode: 'disabled', epoch: 0, origin: '', era: 0 })

const FORMAT = 1

export const encodeRole = (role: Role): Uint8Array => withFormat(FORMAT, toUtf8(JSON.stringify(role)))

export const decodeRole = (stored: Uint8Array): Role => Object.freeze(JSON.parse(fromUtf8(stored.subarray(1))) as Role)

/** Whether commits add a record to the log. */
export const keepsLog = ({ mode }: Role): boolean => mode === 'primary' || mode === 'secondary'

/** Whether replicated records come from elsewhere, so that nobody else writes them here. */
export const isFollower = ({ mode }: Role): boolean => mode === 'secondary' || mode === 'bootstrapping'
