/**
 * What is counted, per key version.
 */
import type { RecordKind, SecretKind } from './record-kind.ts'

export interface Reserved {
  /** All uses that any process has made or has reserved. */
  readonly count: number
  /** The gaps of the cluster's role that `count` allows for; absent: none. */
  readonly gaps?: number
}

/** A kind of use that is counted, per key version. */
export interface CounterKind {
  readonly record: RecordKind<Reserved>
  /** The kind of the counted keys: no counter is made for a key that is gone, and one kind of counter for each kind of key. */
  readonly of: SecretKind
  /** All clusters that have the key keep to it together. */
  readonly limit: number
  /** From this count on every reply carries the warning {@link CounterKind.near}. */
  readonly warnFrom: number
  readonly near: string
  /** The error message at the limit. */
  readonly spent: string
}

/** Counts the uses of one key version: `tx.counter` gives it, `tx.count` takes it. */
export interface Counter {
  readonly kind: CounterKind
  /** Reserved uses left, for which nothing has to be stored. */
  readonly left: number
}
