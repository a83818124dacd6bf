/** Counters of the uses of key versions. */
import type { RecordKind, SecretKind } from './record-kind.ts'

export interface Reserved {
  /** The number of uses that all processes have counted or reserved. */
  readonly count: number
  /** The number of gaps in the cluster's role record that are included in `count`; absent means 0. */
  readonly gaps?: number
}

/** A kind of use, such as encryption, that is counted for each key version. */
export interface CounterKind {
  readonly record: RecordKind<Reserved>
  /** The record kind of the counted keys. Each kind of key has one kind of counter, and a missing key has no counter. */
  readonly of: SecretKind
  /** The limit for the sum over all clusters of the replication set. */
  readonly limit: number
  /** From this count on, every reply contains the warning {@link CounterKind.near}. */
  readonly warnFrom: number
  readonly near: string
  /** The error message if the limit of uses is reached. */
  readonly spent: string
}

/** Counts the uses of one key version. `tx.counter` returns it, and `tx.countUse` increments it. */
export interface Counter {
  readonly kind: CounterKind
  /** The number of reserved uses that remain before another reservation must be stored. */
  readonly left: number
}
