/**
 * The pending writes of a run of a transaction, by key, and the operations of the commit that result from them.
 */

import { toUtf8Steps } from '../base/long-text.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import { SLICE_BYTES } from '../base/steps.ts'
import type { ListOptions } from '../contract/tx.ts'
import type { Op, Revision } from '../storage/port.ts'
import type { RecordTable } from './cache.ts'
import type { Fence } from './keyspace.ts'
import type { Store } from './store.ts'

export interface PendingWrite {
  /** The bytes to store, with their format byte. Without `bytes` and `text`, the record is deleted. */
  readonly bytes: Uint8Array | undefined
  /** A long string that is encoded at the commit, with pauses for the event loop. */
  readonly text?: { readonly value: string; readonly format: number }
  readonly record?: { readonly table: RecordTable<unknown>; readonly id: string; readonly value: unknown }
}

export type PendingWrites = ReadonlyMap<string, PendingWrite>

export const isDeletion = ({ bytes, text }: PendingWrite): boolean => !bytes && !text

/**
 * Returns the operations of a commit: the writes, the checks of the versions that were read, and the checks of the fences. Returns a
 * promise if values are long.
 */
export function opsOf(
  store: Store,
  writes: PendingWrites,
  reads: ReadonlyMap<string, Revision>,
  fences: readonly Fence[],
): MaybePromise<Op[]> {
  let size = 0
  for (const { bytes, text } of writes.values()) size += bytes?.length ?? text?.value.length ?? 0
  if (size > SLICE_BYTES) return opsInSteps(store, writes, reads, fences)
  return withChecks(opsTogether(store, writes, reads), writes, reads, fences)
}

/** Encrypts all values in one call. */
function opsTogether({ barrier }: Store, writes: PendingWrites, reads: ReadonlyMap<string, Revision>): Op[] {
  const keys: string[] = []
  const values: Uint8Array[] = []
  for (const [key, { bytes }] of writes) {
    if (!bytes) continue
    keys.push(key)
    values.push(bytes)
  }
  const records = keys.length > 0 ? barrier.encodeAll(keys, values) : []
  let next = 0
  const ops: Op[] = []
  for (const [key, { bytes }] of writes) {
    const expect = reads.get(key)
    if (!bytes) ops.push(deletion(key, expect))
    else ops.push(put(key, records[next++] as Uint8Array, expect))
  }
  return ops
}

const put = (key: string, value: Uint8Array, expect: Revision | undefined): Op =>
  expect === undefined ? { op: 'put', key, value } : { op: 'put', key, value, expect }

async function opsInSteps(
  store: Store,
  writes: PendingWrites,
  reads: ReadonlyMap<string, Revision>,
  fences: readonly Fence[],
): Promise<Op[]> {
  const ops: Op[] = []
  for (const [key, { bytes, text }] of writes) {
    const stored = text ? await store.drive(toUtf8Steps(text.value, 1)) : bytes
    if (text && stored) stored[0] = text.format
    if (stored) store.checkSize(stored.length)
    ops.push(stored ? await store.encryptedLongPut(key, stored, reads.get(key)) : deletion(key, reads.get(key)))
  }
  return withChecks(ops, writes, reads, fences)
}

const deletion = (key: string, expect: Revision | undefined): Op =>
  expect === undefined ? { op: 'del', key } : { op: 'del', key, expect }

function withChecks(ops: Op[], writes: PendingWrites, reads: ReadonlyMap<string, Revision>, fences: readonly Fence[]): Op[] {
  // A record may have been read although its version is also a fence. A commit may check each key only once, so merge the checks by key.
  const checks = new Map(reads)
  for (const { key, version } of fences) checks.set(key, version)
  for (const [key, expect] of checks) if (!writes.has(key)) ops.push({ op: 'check', key, expect })
  return ops
}

export const checksOf = (fences: readonly Fence[]): Op[] =>
  fences.map(({ key, version }) => ({ op: 'check', key, expect: version }))

/**
 * Returns the names below a prefix as they will be after the commit: the stored names, with the names that the run adds and without those
 * that it deletes.
 */
export function withOwnWrites(
  writes: PendingWrites,
  names: readonly string[],
  prefix: string,
  options: ListOptions,
): readonly string[] {
  const found = new Set(names)
  for (const [key, write] of writes) {
    if (!key.startsWith(prefix)) continue
    const id = key.slice(prefix.length)
    if (isDeletion(write)) found.delete(id)
    else if (options.after === undefined || id > options.after) found.add(id)
  }
  // A transaction that writes can list only folders with a guard record, and never with a delimiter, so `found` contains plain ids.
  return [...found].sort().slice(0, options.limit)
}

/** The storage key of a folder's guard, a record that changes whenever a record is created or deleted in the folder. */
export const guardOf = (prefix: string, name = 'folder'): string => `i/guard/${prefix}${name}`
