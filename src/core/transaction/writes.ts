/**
 * What a run wants stored, by physical key, and the ops that makes. Room: core/transaction. Imported by the transaction.
 */
import type { Op, Revision } from '../storage/port.ts'
import type { Table } from './cache.ts'
import type { Fence } from './place.ts'
import type { Store } from './store.ts'
import type { ListOptions } from './tx.ts'

export interface Write {
  /** Absent: delete. Present: what is stored, format included. */
  readonly bytes: Uint8Array | undefined
  readonly record?: { readonly table: Table<unknown>; readonly id: string; readonly value: unknown }
}

export type Writes = ReadonlyMap<string, Write>

/** What a run stores, what it relies on, and the fences of its places. */
export function opsOf(store: Store, writes: Writes, reads: ReadonlyMap<string, Revision>, fences: readonly Fence[]): Op[] {
  const ops: Op[] = []
  for (const [key, write] of writes) {
    const expect = reads.get(key)
    if (write.bytes) ops.push(store.sealed(key, write.bytes, expect))
    else ops.push(expect === undefined ? { op: 'del', key } : { op: 'del', key, expect })
  }
  // A fence may be a record that was read, too.
  const checks = new Map(reads)
  for (const { key, version } of fences) checks.set(key, version)
  for (const [key, expect] of checks) if (!writes.has(key)) ops.push({ op: 'check', key, expect })
  return ops
}

export const checksOf = (fences: readonly Fence[]): Op[] =>
  fences.map(({ key, version }) => ({ op: 'check', key, expect: version }))

/** A list of what the store has below a prefix, as it will be after the commit. */
export function withOwnWrites(writes: Writes, names: readonly string[], prefix: string, options: ListOptions): readonly string[] {
  const found = new Set(names)
  for (const [key, write] of writes) {
    if (!key.startsWith(prefix)) continue
    const id = key.slice(prefix.length)
    if (!write.bytes) found.delete(id)
    else if (options.after === undefined || id > options.after) found.add(id)
  }
  // Only guarded folders are listed beside writes, and none of them is listed with a delimiter.
  return [...found].sort().slice(0, options.limit)
}

/** The guard of a folder changes with every create and delete in it. */
export const guardOf = (prefix: string, name = 'folder'): string => `i/guard/${prefix}${name}`
