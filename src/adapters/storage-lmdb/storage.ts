/**
 * The Storage port on LMDB. Published as `strongroom/storage/lmdb`.
 */
import { readOptions } from '../../core/base/options.ts'
import { changeFeed } from '../../core/storage/feed.ts'
import { checkCommit, writtenKeys } from '../../core/storage/ops.ts'
import {
  type Capabilities,
  type Change,
  type Commit,
  OutcomeUnknown,
  type Revision,
  type Storage,
  type StorageFailure,
} from '../../core/storage/port.ts'
import { backUp } from './back-up.ts'
import { announceChanges, pollUntilStopped, recordChanges } from './changes.ts'
import { LmdbCommitter, type PreparedCommit } from './committer.ts'
import { openEnvironment } from './environment.ts'
import { openLedger } from './ledger.ts'
import { listNames, readEntry, scanEntries } from './read.ts'
import { prepareOp, writeOps } from './write.ts'

/** The texts of LMDB's own errors, which are constants. */
const LMDB_ERROR = /^MDB_[A-Z_]+: /

function describeFailure(error: unknown): StorageFailure | undefined {
  if (error instanceof OutcomeUnknown) return { reported: 'writing the commit to disk failed' }
  return error instanceof Error && LMDB_ERROR.test(error.message) ? { reported: error.message } : undefined
}

export interface LmdbStorageOptions {
  /**
   * A directory on a local disk (network file systems break LMDB's locks). It is created with mode 0700 if it is missing; the files in it
   * get mode 0600. Back it up with {@link LmdbStorage.backup}, never by copying the files of a store in use.
   */
  readonly path: string
  /**
   * Whether the store may be open more than once at the same time, in this process or in other processes of this machine. Every
   * `lmdbStorage` call for the directory must then set this option, and each takes 64 GiB of address space (not of memory). Default: false.
   * Without this option, reads are cheaper, and opening the store again fails until it is closed or its process has ended.
   */
  readonly shared?: boolean
}

export interface LmdbStorage extends Storage {
  /**
   * Copies a snapshot of the store to another directory on this machine, while the store is read and written. The copy is an independent
   * store: open it with `lmdbStorage({ path: directory })` and the same seal. The copy appears complete or not at all. Only its owner can
   * read its files, and the records are encrypted as in the original.
   * @param directory The target, which must be missing or empty.
   * @param options `compact` (default true) omits the space that deletions have freed. The copy is then smaller and takes somewhat longer.
   * @throws Error if the directory is not empty, or cannot be written.
   */
  backup(directory: string, options?: { readonly compact?: boolean }): Promise<void>
}

/** The number of write transactions between checks for dead readers. Readers are also checked when the store is opened. */
const CHECK_READERS_EVERY = 128

/** The package `lmdb` reports a failed transaction with an error whose `commitError` is a promise that rejects with the reason. */
const isFailedTransaction = (error: unknown): error is Error & { readonly commitError: Promise<never> } =>
  error instanceof Error && 'commitError' in error

/**
 * Opens the store in a directory, or creates an empty one. The storage also offers synchronous reads (`getSync`). A commit is durable when
 * it resolves; commits that are requested while a transaction is being written share the next transaction. Needs the package `lmdb`, an
 * optional peer dependency.
 * @throws Error if `lmdb` is not installed, the directory cannot be used, the file in it is truncated or has a damaged meta page, the store
 * is already open elsewhere, or a newer version of this package wrote it.
 */
export function lmdbStorage(options: LmdbStorageOptions): LmdbStorage {
  const { path, shared = false } = readOptions('lmdbStorage', options, { path: 1, shared: 1 })
  if (typeof path !== 'string' || path === '') throw new TypeError('lmdbStorage needs the path of a directory')
  const caps: Capabilities = Object.freeze({ durable: true, shared, maxOps: 10_000, maxValueBytes: 64 * 1024 * 1024 })
  const environment = openEnvironment(path, shared)
  const { root, transactions, data } = environment
  const ledger = openLedger(environment, shared)
  const feed = changeFeed(ledger.revision())
  const backups = new Set<Promise<void>>()
  /** The newest revision that this process has committed or read, if the store is shared. */
  let newestSeen: Revision = 0
  let watches = 0
  let stopLooking: (() => void) | undefined
  let closing: Promise<void> | undefined

  const assertOpen = (): void => {
    if (closing) throw new TypeError('the storage is closed')
  }

  /**
   * LMDB reads from one snapshot per turn of the event loop. Commits of this process renew the snapshot, and commits of other processes do
   * not. So if the store is shared, renew the snapshot before each read.
   */
  const renewSnapshot = (): Revision => {
    root.resetReadTxn()
    return ledger.revision()
  }

  const assertReadable = (): void => {
    assertOpen()
    if (!shared) return
    let revision = renewSnapshot()
    if (revision < newestSeen) {
      // The reason is in `checked-transactions.ts`. Every write transaction corrects the lock file, even one that writes nothing.
      transactions.transactionSync(() => undefined)
      revision = renewSnapshot()
    }
    newestSeen = Math.max(newestSeen, revision)
  }

  /**
   * A process that was killed during a read leaves an entry in the reader table. The entry prevents the reuse of all pages that the read
   * could see.
   */
  let untilCheck = CHECK_READERS_EVERY
  const checkReaders = (): void => {
    if (!shared || --untilCheck > 0) return
    untilCheck = CHECK_READERS_EVERY
    try {
      root.readerCheck()
    } catch {
      // Ignore the error: the commits are on disk already, and the next check removes the remaining entries.
    }
  }

  const write = (commits: readonly PreparedCommit[]): readonly Commit[] => {
    let revision = ledger.catchUp()
    const decided = new Map<string, Commit>()
    const changes: Change[] = []
    const verdicts = commits.map(({ ops, id }) => {
      const known = decided.get(id) ?? ledger.verdict(id)
      if (known) return known
      const verdict = writeOps(environment, ops, revision)
      if (verdict.ok && verdict.revision > revision) {
        revision = verdict.revision
        changes.push({ revision, keys: writtenKeys(ops, verdict.appended) })
      }
      decided.set(id, verdict)
      return verdict
    })
    if (shared) recordChanges(environment, changes)
    if (decided.size > 0) ledger.record([...decided], revision)
    return verdicts
  }

  const committed = (commits: readonly PreparedCommit[], verdicts: readonly Commit[]): void => {
    root.resetReadTxn()
    checkReaders()
    for (const verdict of verdicts) if (verdict.ok) newestSeen = Math.max(newestSeen, verdict.revision)
    if (shared) announceChanges(environment, ledger, feed)
    else
      for (const [at, verdict] of verdicts.entries())
        if (verdict.ok) feed.announce({ revision: verdict.revision, keys: writtenKeys(commits[at]!.ops, verdict.appended) })
  }

  const failure = (error: unknown): unknown => {
    ledger.distrust()
    if (!isFailedTransaction(error)) return error
    // `commitError` may reject late or never. Its rejection must be handled, or it would end the process.
    error.commitError.catch(() => undefined)
    return new OutcomeUnknown('writing the commit to disk failed; the commit may have taken effect nevertheless', {
      cause: error,
    })
  }

  // In a child transaction, an error undoes the commits of this group only, and no other work of the same transaction.
  const committer = new LmdbCommitter({
    transact: (action) => transactions.childTransaction(action),
    write,
    committed,
    failure,
  })

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
      const prepared = ops.map(prepareOp)
      const bytes = prepared.reduce((sum, op) => sum + ('record' in op ? op.record.length : 0), 0)
      return committer.commit({ ops: prepared, id, bytes })
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
        if (watches++ === 0) stopLooking = pollUntilStopped(look)
      }
      const stop = feed.watch(prefix, from, onChange)
      let stopped = false
      return async () => {
        stop()
        if (!stopped && --watches === 0) stopLooking?.()
        stopped = true
      }
    },
    describeFailure,
    async backup(directory, { compact = true } = {}) {
      assertOpen()
      if (typeof directory !== 'string' || directory === '')
        throw new TypeError('backup: directory must be the path of a directory')
      const running = backUp(root, directory, compact).finally(() => backups.delete(running))
      backups.add(running)
      return running
    },
    async close() {
      closing ??= (async () => {
        await committer.settled()
        await Promise.allSettled(backups)
        stopLooking?.()
        feed.close()
        await environment.close()
      })()
      return closing
    },
  }
}
