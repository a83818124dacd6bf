/** Counters for the uses of key versions. */
import type { RecordKind, SecretKind } from './record-kind.ts'

export interface Reserved {
  /** All uses that any process has counted or reserved. */
  readonly count: number
  /** The number of gaps in the cluster's role that are included in `count`; absent means 0. */
  readonly gaps?: number
}

/** A kind of use that is counted for each key version. */
export interface CounterKind {
  readonly record: RecordKind<Reserved>
  /** The kind of the counted keys. Each kind of key has one kind of counter, and a missing key has no counter. */
  readonly of: SecretKind
  /** The limit for the sum over all clusters of the replication set. */
  readonly limit: number
  /** From this count on, every reply contains the warning {@link CounterKind.near}. */
  readonly warnFrom: number
  readonly near: string
  /** The error message at the limit. */
  readonly spent: string
}

/** Counts the uses of one key version. `tx.counter` returns it, and `tx.countUse` increments it. */
export interface Counter {
  readonly kind: CounterKind
  /** How many reserved uses remain before the next reservation must be stored. */
  readonly left: number
}
