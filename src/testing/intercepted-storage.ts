import { checkCommit, copyOps } from '../core/storage/ops.ts'
import type { Change, Entry, Op, Storage } from '../core/storage/port.ts'

export type StorageMethod = 'get' | 'getSync' | 'getMany' | 'scan' | 'list' | 'commit' | 'revision' | 'watch'

export interface Interception {
  /**
   * Handles a call. `work` passes the call to the wrapped storage, and can be called any number of times. `ops` is present for a commit.
   */
  around<T>(method: StorageMethod, work: () => Promise<T>, ops?: readonly Op[]): Promise<T>
  /** Handles a call of `getSync`. If absent, the returned storage has no `getSync`. */
  readonly aroundSync?: (work: () => Entry | undefined) => Entry | undefined
  /** Wraps the listener of a watch. If absent, the listener is used unchanged. */
  readonly listener?: (onChange: (change: Change) => void) => (change: Change) => void
  readonly close: () => Promise<void>
}

/** Wraps a storage so that `interception` handles every call. It receives the ops of a commit only after they were validated and copied. */
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
      return interception.around('commit', () => inner.commit(own, id), own)
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
    ...(inner.describeFailure && { describeFailure: (error: unknown) => inner.describeFailure!(error) }),
    ...(inner.getSync &&
      aroundSync && {
        getSync: (key: string) => aroundSync(() => inner.getSync!(key)),
      }),
  }
}
