/** Counters of the uses of key versions. */
import type { RecordKind, SecretKind } from './record-kind.ts'

export interface Reserved {
  /** The number of uses that all processes have counted or reserved. */
  readonly count: number
  /**
   * The number of gaps that `count` already takes into account: uses that may have been missed were added to it. Absent means 0. A gap is
   * an event after which the cluster's counts may be too low: it took over from a lost primary, or its store was restored from a backup.
   * The cluster's role record contains the total number of gaps.
   */
  readonly gaps?: number
}

/** A kind of use, such as encryption, that is counted for each key version. */
export interface CounterKind {
  readonly record: RecordKind<Reserved>
  /**
   * The record kind of the keys whose uses are counted. A record kind has at most one counter kind, and a counter exists only as long as
   * its key exists.
   */
  readonly of: SecretKind
  /** The maximum number of uses of one key version, summed over all clusters of the replication set. */
  readonly limit: number
  /** Once a key version has this many uses, every reply contains the warning {@link CounterKind.near}. */
  readonly warnFrom: number
  readonly near: string
  /** The error message once the limit is reached. */
  readonly spent: string
}

/** Counts the uses of one key version. `tx.counter` returns it, and `tx.countUse` increments it. */
export interface Counter {
  readonly kind: CounterKind
  /** The number of uses that this process can still count before it must store another reservation. */
  readonly left: number
}
