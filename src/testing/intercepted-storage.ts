/**
 * A storage with somebody in between, who decides about every call: what the faulty storages of this room are made of.
 */
import { checkCommit, copyOps } from '../core/storage/ops.ts'
import type { Change, Entry, Storage } from '../core/storage/port.ts'

export type StorageMethod = 'get' | 'getSync' | 'getMany' | 'scan' | 'list' | 'commit' | 'revision' | 'watch'

export interface Interception {
  /** Carries a call out by `work`, once, several times or not at all, and answers it. */
  around<T>(method: StorageMethod, work: () => Promise<T>): Promise<T>
  /** The same of `getSync`; without it the storage has none. */
  readonly aroundSync?: (work: () => Entry | undefined) => Entry | undefined
  /** What stands between the storage and one of its watchers; by default nobody. */
  readonly listener?: (onChange: (change: Change) => void) => (change: Change) => void
  readonly close: () => Promise<void>
}

/** `inner`, asked by way of an interception. Commits are judged and copied before it sees them. */
export function interceptedStorage(inner: Storage, interception: Interception): Storage {
  const { aroundSync, listener = (onChange) => onChange, close } = interception
  return {
    caps: inner.caps,
    get: (key) => interception.around('get', () => inner.get(key)),
    getMany: (keys) => interception.around('getMany', () => inner.getMany(keys)),
    scan: (prefix, page) => interception.around('scan', () => inner.scan(prefix, page)),
    list: (prefix, page) => interception.around('list', () => inner.list(prefix, page)),
    revision: (fresh) => interception.around('revision', () => inner.revision(fresh)),
    async commit(ops, id) {
      checkCommit(ops, id, inner.caps)
      const own = copyOps(ops)
      return interception.around('commit', () => inner.commit(own, id))
    },
    async watch(prefix, from, onChange) {
      let stopped = false
      const tell = listener((change) => {
        if (!stopped) onChange(change)
      })
      const stop = await interception.around('watch', () => inner.watch(prefix, from, tell))
      return async () => {
        stopped = true
        await stop()
      }
    },
    close,
    ...(inner.getSync &&
      aroundSync && {
        getSync: (key: string) => aroundSync(() => inner.getSync!(key)),
      }),
  }
}
