/**
 * Builds a complete storage from `get`, `scan` and `commit`, so that a fake storage for a unit test is short. Exported to applications.
 */
import { changeFeed, type Feed } from './feed.ts'
import { listName } from './list-name.ts'
import { checkCommit, copyOps, writtenKeys } from './ops.ts'
import { compareKeys } from './order.ts'
import type { Capabilities, Commit, Op, Revision, Storage } from './port.ts'
import { recentVerdicts } from './verdicts.ts'

/** `get`, `scan` and `commit`, and any other methods you implement yourself. */
export type StorageCore = Pick<Storage, 'get' | 'scan' | 'commit'> & Partial<Storage>

const CAPS: Capabilities = { durable: false, shared: false, maxOps: 10_000, maxValueBytes: 64 * 1024 * 1024 }

/**
 * Returns a storage that calls the methods of `core`. It adds the methods that `core` lacks, and checks every commit:
 *
 * - `getMany` calls `get` for each key, and `list` calls `scan`, so `list` reads everything below the prefix.
 * - `caps` says: not durable, not shared, 10,000 ops per commit, 64 MiB per value.
 * - `revision` and `watch` report the commits made through the returned storage, which is correct if nothing else writes to the store.
 * - `commit` throws a TypeError for ops that the port forbids, and runs one `commit` of `core` at a time. For a repeated commit id, it
 *   returns the first result.
 * - `close` calls `core.close` once. Every later call of another method rejects with a TypeError.
 *
 * The methods of `core` are called with `core` as `this`. A `core` with its own `watch` should also have its own `revision`, because the
 * two must report the same commits.
 */
export function completeStorage(core: StorageCore): Storage {
  const caps = core.caps ?? CAPS
  const verdicts = recentVerdicts<Promise<Commit>>()
  let feed: Promise<Feed> | undefined
  let running: Promise<unknown> = Promise.resolve()
  let closing: Promise<void> | undefined

  const assertOpen = (): void => {
    if (closing) throw new TypeError('the storage is closed')
  }

  /** Returns the feed of this storage. When it is first needed, it begins at the newest version of the records in `core`. */
  const openFeed = (): Promise<Feed> => {
    feed ??= core
      .scan('')
      .then((entries) => changeFeed(entries.reduce((newest: Revision, entry) => Math.max(newest, entry.version), 0)))
    return feed
  }

  const commitOnce = async (ops: readonly Op[], id: string): Promise<Commit> => {
    const watchers = await openFeed()
    const verdict = await core.commit(ops, id)
    if (verdict.ok) watchers.announce({ revision: verdict.revision, keys: writtenKeys(ops, verdict.appended) })
    return verdict
  }

  const storage: Storage = {
    caps,
    async get(key) {
      assertOpen()
      return core.get(key)
    },
    async getMany(keys) {
      assertOpen()
      return core.getMany ? core.getMany(keys) : Promise.all(keys.map((key) => core.get(key)))
    },
    async scan(prefix, options) {
      assertOpen()
      return core.scan(prefix, options)
    },
    async list(prefix, options = {}) {
      assertOpen()
      if (core.list) return core.list(prefix, options)
      const { after, delimiter, limit } = options
      const entries = await core.scan(prefix)
      const names = new Set(entries.map((entry) => listName(entry.key.slice(prefix.length), delimiter)))
      names.delete('')
      return [...names].filter((name) => after === undefined || compareKeys(name, after) > 0).slice(0, limit)
    },
    async commit(ops, id) {
      assertOpen()
      checkCommit(ops, id, caps)
      const known = verdicts.get(id)
      if (known) return known
      const copied = copyOps(ops)
      const verdict = running.then(() => commitOnce(copied, id))
      verdicts.set(id, verdict)
      running = verdict.catch(() => verdicts.delete(id))
      return verdict
    },
    async revision(fresh) {
      assertOpen()
      return core.revision ? core.revision(fresh) : (await openFeed()).revision
    },
    async watch(prefix, from, onChange) {
      assertOpen()
      if (core.watch) return core.watch(prefix, from, onChange)
      const stop = (await openFeed()).watch(prefix, from, onChange)
      return async () => stop()
    },
    async close() {
      closing ??= running.then(async () => {
        ;(await feed)?.close()
        await core.close?.()
      })
      return closing
    },
  }
  return {
    ...storage,
    ...(core.describeFailure && { describeFailure: (error: unknown) => core.describeFailure!(error) }),
    ...(core.getSync && {
      getSync(key: string) {
        assertOpen()
        return core.getSync!(key)
      },
    }),
  }
}
