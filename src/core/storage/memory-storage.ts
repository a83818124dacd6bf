/**
 * Implements the Storage port in this process's memory. For tests, development, and data that may be lost.
 */
import { readOptions } from '../base/options.ts'
import { BufferedTransaction, type JoinableTransaction } from './buffered-transaction.ts'
import { changeFeed } from './feed.ts'
import { listName } from './list-name.ts'
import { checkCommit, writtenKeys } from './ops.ts'
import { fromSortable, toSortable } from './order.ts'
import {
  type Capabilities,
  type Commit,
  type Entry,
  logIndex,
  logKey,
  type Op,
  type Page,
  type Revision,
  type Storage,
} from './port.ts'
import { sortedKeys } from './sorted-keys.ts'
import { recentVerdicts } from './verdicts.ts'

export interface MemoryStorageOptions {
  /**
   * The maximum number of ops per commit. Default 10,000. With 128, the lowest limit that a storage may have, tests find commits that are
   * too large for some storages.
   */
  readonly maxOps?: number
  /** The maximum size of a value in bytes. Default 64 MiB. */
  readonly maxValueBytes?: number
}

export type MemoryTransaction = JoinableTransaction

export interface MemoryStorage extends Storage {
  /** Opens a transaction. Pass it to methods of the kernel as the option `transaction`, so that their writes become part of it. */
  begin(): MemoryTransaction
}

interface Stored {
  readonly value: Uint8Array
  readonly version: Revision
}

/**
 * A new, empty store. A `get` costs a map lookup and a copy, for any number of keys; the cost of a commit is logarithmic in the number of
 * keys. Several kernels of one process may share the store. Watchers are called before `commit` returns its promise.
 */
export function memoryStorage(options: MemoryStorageOptions = {}): MemoryStorage {
  const { maxOps = 10_000, maxValueBytes = 64 * 1024 * 1024 } = readOptions('memoryStorage', options, {
    maxOps: 1,
    maxValueBytes: 1,
  })
  const caps: Capabilities = Object.freeze({ durable: false, shared: true, maxOps, maxValueBytes })
  const records = new Map<string, Stored>()
  const order = sortedKeys()
  /** Last index assigned in each log: deleting records does not free an index. */
  const logEnds = new Map<string, number>()
  const verdicts = recentVerdicts()
  const feed = changeFeed(0)
  let revision: Revision = 0
  let closed = false

  const assertOpen = (): void => {
    if (closed) throw new TypeError('the storage is closed')
  }

  const read = (key: string): Entry | undefined => {
    const stored = records.get(key)
    return stored && { key, value: stored.value.slice(), version: stored.version }
  }

  const write = (key: string, value: Uint8Array): void => {
    if (!records.has(key)) order.add(toSortable(key))
    records.set(key, { value: new Uint8Array(value), version: revision })
  }

  /** A log may have been copied into this store record by record. The log then continues after its last copied record. */
  const endOf = (log: string): number => {
    const known = logEnds.get(log)
    if (known !== undefined) return known
    const bound = toSortable(logKey(log, Number.MAX_SAFE_INTEGER))
    let found = order.last((key) => key <= bound)
    // A key such as `log/5` is not a record of the log, although it sorts among them.
    while (found !== undefined && fromSortable(found).startsWith(`${log}/`)) {
      const index = logIndex(log, fromSortable(found))
      if (index > 0) return index
      const later = found
      found = order.last((key) => key < later)
    }
    return 0
  }

  const apply = (ops: readonly Op[]): Commit => {
    for (const op of ops) {
      if (op.op === 'append' || op.expect === undefined) continue
      const version = records.get(op.key)?.version ?? 0
      if (version !== op.expect) return Object.freeze({ ok: false, conflict: op.key, version })
    }
    const appended: number[] = []
    if (ops.some((op) => op.op !== 'check')) revision++
    for (const op of ops) {
      if (op.op === 'put') write(op.key, op.value)
      else if (op.op === 'del' && records.delete(op.key)) order.delete(toSortable(op.key))
      else if (op.op === 'append') {
        const index = endOf(op.log) + 1
        logEnds.set(op.log, index)
        appended.push(index)
        write(logKey(op.log, index), op.value)
      }
    }
    // If the ops are only checks, the revision is unchanged. `announce` then does nothing, because it ignores revisions that were already
    // announced.
    feed.announce({ revision, keys: writtenKeys(ops, appended) })
    return Object.freeze({ ok: true, revision, appended: Object.freeze(appended) })
  }

  return {
    caps,
    async get(key) {
      assertOpen()
      return read(key)
    },
    async getMany(keys) {
      assertOpen()
      return keys.map(read)
    },
    getSync(key) {
      assertOpen()
      return read(key)
    },
    async scan(prefix, page: Page = {}) {
      assertOpen()
      const { limit = Number.POSITIVE_INFINITY } = page
      const start = toSortable(prefix)
      const after = page.after === undefined ? undefined : toSortable(page.after)
      const entries: Entry[] = []
      if (limit <= 0) return entries
      for (const key of order.from((other) => other < start || (after !== undefined && other <= after))) {
        if (!key.startsWith(start)) break
        entries.push(read(fromSortable(key))!)
        if (entries.length >= limit) break
      }
      return entries
    },
    async list(prefix, page: Page & { readonly delimiter?: string } = {}) {
      assertOpen()
      const { limit = Number.POSITIVE_INFINITY } = page
      const start = toSortable(prefix)
      const after = page.after === undefined ? undefined : toSortable(page.after)
      const delimiter = page.delimiter === undefined ? undefined : toSortable(page.delimiter)
      const names: string[] = []
      // Look up each name separately, starting after the previous name. This skips the other records below a name without reading them.
      let last = after === undefined ? start : start + after
      let folder = after !== undefined && delimiter && after.endsWith(delimiter) ? last : undefined
      while (names.length < limit) {
        const key = order.first((other) => other <= last || (folder !== undefined && other.startsWith(folder)))
        if (!key?.startsWith(start)) break
        const name = listName(key.slice(start.length), delimiter)
        last = start + name
        folder = last.length < key.length || (delimiter && name.endsWith(delimiter)) ? last : undefined
        if (after === undefined || name > after) names.push(fromSortable(name))
      }
      return names
    },
    async commit(ops, id) {
      assertOpen()
      checkCommit(ops, id, caps)
      const known = verdicts.get(id)
      if (known) return known
      const verdict = apply(ops)
      verdicts.set(id, verdict)
      return verdict
    },
    begin() {
      assertOpen()
      return new BufferedTransaction((ops) => {
        assertOpen()
        return apply(ops)
      })
    },
    async join(ops, transaction) {
      assertOpen()
      if (!(transaction instanceof BufferedTransaction))
        throw new TypeError('transaction: must be a transaction that begin() of a memoryStorage() returned')
      checkCommit(ops, 'joined', caps)
      transaction.join(ops)
      return undefined
    },
    async revision() {
      assertOpen()
      return revision
    },
    async watch(prefix, from, onChange) {
      assertOpen()
      const stop = feed.watch(prefix, from, onChange)
      return async () => stop()
    },
    async close() {
      closed = true
      feed.close()
    },
  }
}
