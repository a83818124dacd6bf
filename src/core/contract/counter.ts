/** Counters of how often a key version was used. */
import type { RecordKind, SecretKind } from './record-kind.ts'

export interface Reserved {
  /** All uses that any process has made or reserved. */
  readonly count: number
  /** How many gaps of the cluster's role are included in `count`; absent means 0. */
  readonly gaps?: number
}

/** A kind of use that is counted for each key version. */
export interface CounterKind {
  readonly record: RecordKind<Reserved>
  /** The kind of the counted keys. Each kind of key has one kind of counter, and a missing key has no counter. */
  readonly of: SecretKind
  /** The limit for all clusters of the replication set together. */
  readonly limit: number
  /** From this count on, every reply has the warning {@link CounterKind.near}. */
  readonly warnFrom: number
  readonly near: string
  /** The error message at the limit. */
  readonly spent: string
}

/** Counts the uses of one key version: `tx.counter` returns it and `tx.countUse` takes it. */
export interface Counter {
  readonly kind: CounterKind
  /** Reserved uses that remain before the next reservation must be stored. */
  readonly left: number
}
