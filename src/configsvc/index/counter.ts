/**
 * The index of this service: one number for all tables. It is stored in a single record, which every commit reads and increments. So no two
 * commits have the same index, and what a commit has read cannot have changed before it is applied.
 */
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { ConfigTx } from '../call.ts'

export const TABLES = ['roles', 'policies', 'tokens', 'binding-rules', 'auth-methods', 'config-entries'] as const

export type IndexedTable = (typeof TABLES)[number]

export interface IndexCounter {
  /** The index of the last commit. */
  readonly index: number
  /** The index of the last change of each table; absent: the table never changed. */
  readonly tables: Readonly<Partial<Record<IndexedTable, number>>>
}

export const COUNTER = /* @__PURE__ */ jsonRecord<IndexCounter>({ class: 'l', folder: 'index' })

export const COUNTER_ID = 'counter'

const EMPTY_COUNTER: IndexCounter = Object.freeze({ index: 0, tables: Object.freeze({}) })

export const readCounter = (tx: ConfigTx): IndexCounter => tx.get(COUNTER, COUNTER_ID) ?? EMPTY_COUNTER

/** The index of a table in responses. It is never 0, because a read with index 0 does not wait. */
export const tableIndexOf = ({ tables }: IndexCounter, table: IndexedTable): number => Math.max(1, tables[table] ?? 0)

/**
 * Returns the index of this commit, which changes these tables. Call it once per transaction and before anything is listed: the commit then
 * fails if another commit was applied in between.
 */
export function nextIndex(tx: ConfigTx, ...changed: readonly IndexedTable[]): number {
  const { index, tables } = readCounter(tx)
  const next = index + 1
  tx.put(COUNTER, COUNTER_ID, {
    index: next,
    tables: { ...tables, ...Object.fromEntries(changed.map((table) => [table, next])) },
  })
  return next
}
