/**
 * The Storage port on LMDB. Room: adapters/storage-lmdb. Published as `strongroom/storage/lmdb`.
 */
import { changeFeed } from '../../core/storage/feed.ts'
import { checkCommit, writtenKeys } from '../../core/storage/ops.ts'
import { type Capabilities, type Commit, type Op, OutcomeUnknown, type Storage } from '../../core/storage/port.ts'
import { announceChanges, keepLooking, recordChange } from './changes.ts'
import { openEnvironment } from './environment.ts'
import { openLedger } from './ledger.ts'
import { listNames, readEntry, scanEntries } from './read.ts'
import { type PreparedOp, prepareOp, writeOps } from './write.ts'

export interface LmdbStorageOptions {
  /**
   * A directory on a local disk (network file systems break LMDB's locks). Created with mode 0700 when it is not there; the two
   * files in it get mode 0600. Back it up with LMDB's own tools, not by copying the files of a store in use.
   */
  readonly path: string
  /**
   * Whether other processes of this machine write to the same directory at the same time; then all of them must say so. Default
   * false: reads are cheaper, and a commit fails when it finds that somebody else has written.
   */
  readonly shared?: boolean
}

/** LMDB reports a failed transaction with the reason in a promise of its own. */
const isFailedTransaction = (error: unknown): error is Error & { readonly commitError: Promise<never> } =>
  error instanceof Error && 'commitError' in error

/**
 * Opens the store in a directory, or creates an empty one. Reads are synchronous inside (`getSync`); a commit is one durable
 * write transaction, and commits of the same turn of the event loop share one. Needs the package `lmdb` (optional peer
 * dependency).
 * @throws Error when `lmdb` is not installed, the directory cannot be used, or a newer version of this package has written it.
 */
export function lmdbStorage({ path, shared = false }: LmdbStorageOptions): Storage {
  if (typeof path !== 'string' || path === '') throw new TypeError('lmdbStorage needs the path of a directory')
  const caps: Capabilities = Object.freeze({ durable: true, shared, maxOps: 10_000, maxValueBytes: 64 * 1024 * 1024 })
  const environment = openEnvironment(path)
  const { root, data } = environment
  const ledger = openLedger(environment, shared)
  const feed = changeFeed(ledger.revision())
  const running = new Set<Promise<Commit>>()
  let watches = 0
  let stopLooking: (() => void) | undefined
  let closing: Promise<void> | undefined

  const assertOpen = (): void => {
    if (closing) throw new TypeError('the storage is closed')
  }

  /** LMDB reads one snapshot per turn of the event loop, which own commits renew and those of other processes do not. */
  const assertReadable = (): void => {
    assertOpen()
    if (shared) root.resetReadTxn()
  }

  const write = (ops: readonly PreparedOp[], original: readonly Op[], id: string): Commit => {
    const revision = ledger.catchUp()
    const known = ledger.verdict(id)
    if (known) return known
    const verdict = writeOps(environment, ops, revision)
    const wrote = verdict.ok && verdict.revision > revision
    if (wrote && shared) recordChange(environment, verdict.revision, writtenKeys(original, verdict.appended))
    ledger.record(id, verdict, wrote ? verdict.revision : revision)
    return verdict
  }

  const commit = async (ops: readonly Op[], id: string): Promise<Commit> => {
    const prepared = ops.map(prepareOp)
    // Of the ops only keys and log names are looked at again, which are strings.
    const original = ops.map((op) => ({ ...op }))
    try {
      // A child transaction: an error half-way undoes this commit and no other of the same turn.
      const verdict = await root.childTransaction(() => write(prepared, original, id))
      root.resetReadTxn()
      if (shared) announceChanges(environment, ledger, feed)
      else if (verdict.ok) feed.announce({ revision: verdict.revision, keys: writtenKeys(original, verdict.appended) })
      return verdict
    } catch (error) {
      ledger.distrust()
      if (!isFailedTransaction(error)) throw error
      // The reason may come late or never, but must not go unhandled.
      error.commitError.catch(() => undefined)
      throw new OutcomeUnknown('the commit could not be brought to disk', { cause: error })
    }
  }

  return {
    caps,
    getSync(key) {
      assertReadable()
      return readEntry(data, key)
    },
    async get(key) {
      assertReadable()
      return readEntry(data, key)
    },
    async getMany(keys) {
      assertReadable()
      return keys.map((key) => readEntry(data, key))
    },
    async scan(prefix, page = {}) {
      assertReadable()
      return scanEntries(data, prefix, page)
    },
    async list(prefix, page = {}) {
      assertReadable()
      return listNames(data, prefix, page)
    },
    async commit(ops, id) {
      assertOpen()
      checkCommit(ops, id, caps)
      const verdict = commit(ops, id)
      running.add(verdict)
      try {
        return await verdict
      } finally {
        running.delete(verdict)
      }
    },
    async revision(fresh) {
      assertReadable()
      if (fresh && watches > 0) announceChanges(environment, ledger, feed)
      return ledger.revision()
    },
    async watch(prefix, from, onChange) {
      assertReadable()
      if (shared) {
        const look = (): void => announceChanges(environment, ledger, feed)
        look()
        if (watches++ === 0) stopLooking = keepLooking(look)
      }
      const stop = feed.watch(prefix, from, onChange)
      let stopped = false
      return async () => {
        stop()
        if (!stopped && --watches === 0) stopLooking?.()
        stopped = true
      }
    },
    async close() {
      closing ??= (async () => {
        await Promise.allSettled(running)
        stopLooking?.()
        feed.close()
        await root.close()
      })()
      return closing
    },
  }
}
