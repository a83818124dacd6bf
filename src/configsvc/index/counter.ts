/**
 * The index of this service: one number for all tables. It is stored in one record that every commit reads and increments, so no two
 * commits share an index, and everything a commit has read is still current when it is applied.
 */
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { ConfigTx } from '../call.ts'

export const TABLES = ['roles', 'policies', 'tokens', 'binding-rules', 'auth-methods', 'config-entries'] as const

export type IndexedTable = (typeof TABLES)[number]

export interface IndexCounter {
  /** The index of the last commit. */
  readonly index: number
  /** The last index at which a table changed; absent: never. */
  readonly tables: Readonly<Partial<Record<IndexedTable, number>>>
}

export const COUNTER = /* @__PURE__ */ jsonRecord<IndexCounter>({ class: 'l', folder: 'index' })

export const COUNTER_ID = 'counter'

const EMPTY_COUNTER: IndexCounter = Object.freeze({ index: 0, tables: Object.freeze({}) })

export const readCounter = (tx: ConfigTx): IndexCounter => tx.get(COUNTER, COUNTER_ID) ?? EMPTY_COUNTER

/** The index of a table in answers. It is never 0, because a read with index 0 does not wait. */
export const tableIndexOf = ({ tables }: IndexCounter, table: IndexedTable): number => Math.max(1, tables[table] ?? 0)

/**
 * The index of this commit, which changes these tables. Call it once per transaction, before anything is listed: the commit then fails if
 * any other commit came in between.
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
