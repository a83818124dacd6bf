/**
 * What is counted, per key version.
 */
import type { RecordKind, SecretKind } from './record-kind.ts'

export interface Reserved {
  /** Everything that any process has done or may do without asking again. */
  readonly count: number
}

/** What is counted, per key version. */
export interface CounterKind {
  readonly record: RecordKind<Reserved>
  /** The key record without which there is nothing to count: no counter is made for a key that is gone. */
  readonly of: SecretKind
  readonly limit: number
  /** From here on every reply says {@link CounterKind.near}. */
  readonly warnFrom: number
  readonly near: string
  /** Why there is no more. */
  readonly spent: string
}

/** Counts the uses of one key version: `tx.counter` gives it, `tx.count` takes it. */
export interface Counter {
  readonly kind: CounterKind
  /** Uses in hand, for which nothing has to be stored any more. */
  readonly left: number
}
