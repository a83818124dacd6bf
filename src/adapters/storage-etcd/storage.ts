/**
 * The Storage port on etcd. Published as `strongroom/storage/etcd`.
 */
import { randomUUID } from 'node:crypto'
import { BufferedTransaction, type JoinableTransaction } from '../../core/storage/buffered-transaction.ts'
import { commitWithRetries } from '../../core/storage/commit-with-retries.ts'
import { changeFeed } from '../../core/storage/feed.ts'
import { FreshSingleFlight } from '../../core/storage/fresh-single-flight.ts'
import { checkCommit, copyOps } from '../../core/storage/ops.ts'
import type { Capabilities, Revision, Storage } from '../../core/storage/port.ts'
import { watchOnDemand } from '../../core/storage/watch-on-demand.ts'
import { EtcdClient, pauseMs, sleep } from './client.ts'
import { EtcdCommitter } from './committer.ts'
import { describeFailure } from './describe-failure.ts'
import { FORGET_EVERY, forgetVerdicts } from './forget.ts'
import { Layout } from './layout.ts'
import { LogEnds } from './logs.ts'
import { checkedOptions, type EtcdStorageOptions } from './options.ts'
import { listNames, readEntries, readEntry, readRevision, scanEntries } from './reads.ts'
import { openPrefix } from './stamp.ts'
import { Watcher } from './watcher.ts'

/**
 * A transaction of the application that writes of the kernel can join. In the cluster, the store's prefix and `r/` precede the keys that
 * the application writes.
 */
export type EtcdTransaction = JoinableTransaction

export interface EtcdStorage extends Storage {
  /** Begins a transaction. A write of the kernel joins it if the write gets it as the option `transaction`. */
  begin(): EtcdTransaction
}

/** The number of recent commits that are kept in memory, so that a watcher that starts at an earlier revision receives each of them. */
const REMEMBERED_CHANGES = 4096

/** A new request for the revision of the store waits until the running request has ended, but at most this long. */
const MAX_WAIT_MS = 100

/**
 * The storage port requires that a commit may have at least this many ops. If the option `maxTxnOps` is larger, a commit may have that many.
 */
const MIN_MAX_OPS = 128

/**
 * A storage that many processes on many machines can share, on an existing cluster of etcd 3.4 or newer.
 *
 * The first call opens the store: it stamps an empty prefix, and refuses a prefix that something else uses. Every read is linearizable. A
 * commit resolves when a majority of the members has it on disk. Waiting commits of a process share one cluster transaction, and each has
 * its own conditions.
 *
 * The storage uses gRPC over `node:http2`, without a driver. If a member does not answer, the request is sent to the next one, until
 * `timeoutMs` is over. Then the call rejects with the errors of all members, or with {@link OutcomeUnknown} if a commit may have taken
 * effect. If the cluster is out of space (`NOSPACE`), reads continue, and commits reject with that error.
 * @throws TypeError for an invalid option.
 */
export function etcdStorage(options: EtcdStorageOptions): EtcdStorage {
  const { hosts, prefix, tls, login, timeoutMs, signal, maxTxnOps, maxRequestBytes, maxValueBytes } = checkedOptions(options)
  const caps: Capabilities = Object.freeze({
    durable: true,
    shared: true,
    maxOps: Math.max(MIN_MAX_OPS, maxTxnOps),
    maxValueBytes,
  })
  const client = new EtcdClient({ hosts, tls, login, timeoutMs, signal, maxRequestBytes })
  const layout = new Layout(prefix)
  const feed = changeFeed(0, REMEMBERED_CHANGES)
  const revisions = new FreshSingleFlight<Revision>(() => sleep(MAX_WAIT_MS))
  const running = new Set<Promise<unknown>>()
  const begun = new WeakSet<BufferedTransaction>()
  let opening: Promise<void> | undefined
  let watcher: { readonly watcher: Watcher; readonly started: Promise<void> } | undefined
  let newest: Revision = 0
  // Start at a random count, so that processes that end after a few commits also delete verdicts from time to time.
  let commits = Math.floor(Math.random() * FORGET_EVERY)
  let closing: Promise<void> | undefined

  const assertOpen = (): void => {
    if (closing) throw new TypeError('the storage is closed')
  }

  const keep = <T>(work: Promise<T>): Promise<T> => {
    running.add(work)
    const done = (): void => void running.delete(work)
    work.then(done, done)
    return work
  }

  /** Opens the store once. After a failure, the next call tries again. */
  const open = (): Promise<void> => {
    opening ??= openPrefix(client, layout, maxTxnOps).catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }

  const read = <T>(work: () => Promise<T>): Promise<T> => {
    assertOpen()
    return keep(open().then(work))
  }

  const committed = (revision: Revision): void => {
    newest = Math.max(newest, revision)
    if (++commits % FORGET_EVERY === 0) keep(forgetVerdicts(client, layout)).catch(() => undefined)
  }

  const committer = new EtcdCommitter({
    client,
    layout,
    logs: new LogEnds(client, layout),
    timeoutMs,
    maxTxnOps,
    maxRequestBytes,
    open,
    committed,
  })

  const startWatching = (): Promise<void> => {
    if (!watcher) {
      const made = new Watcher(client, layout, feed)
      watcher = { watcher: made, started: open().then(() => made.start()) }
    }
    return watcher.started
  }

  const stopWatching = (): void => {
    watcher?.watcher.stop()
    watcher = undefined
  }

  signal?.addEventListener('abort', stopWatching)

  const storage: EtcdStorage = {
    caps,
    async get(key) {
      return read(() => readEntry(client, layout, key))
    },
    async getMany(keys) {
      return read(() => readEntries(client, layout, keys, maxTxnOps))
    },
    async scan(prefix, page = {}) {
      return read(() => scanEntries(client, layout, prefix, page))
    },
    async list(prefix, page = {}) {
      return read(() => listNames(client, layout, prefix, page))
    },
    async commit(ops, id) {
      assertOpen()
      checkCommit(ops, id, caps)
      return committer.commit(copyOps(ops), id)
    },
    async join(ops, transaction) {
      assertOpen()
      if (!(transaction instanceof BufferedTransaction) || !begun.has(transaction))
        throw new TypeError('transaction: must be a transaction that this storage began')
      checkCommit(ops, 'joined', caps)
      transaction.join(ops)
      return undefined
    },
    begin() {
      assertOpen()
      const transaction = new BufferedTransaction(async (ops) => {
        assertOpen()
        checkCommit(ops, 'joined', caps)
        return commitWithRetries(storage, ops, randomUUID(), (attempt) => sleep(pauseMs(attempt)))
      })
      begun.add(transaction)
      return transaction
    },
    async revision(fresh) {
      assertOpen()
      if (watcher && !fresh) {
        await keep(watcher.started)
        return Math.max(newest, feed.revision)
      }
      return read(() => revisions.run(async () => (await readRevision(client, layout)).revision))
    },
    watch: watchOnDemand({
      feed,
      async start() {
        assertOpen()
        await keep(startWatching())
        assertOpen()
      },
      stop: stopWatching,
    }),
    describeFailure,
    async close() {
      closing ??= (async () => {
        await committer.settled()
        signal?.removeEventListener('abort', stopWatching)
        feed.close()
        stopWatching()
        await Promise.allSettled(running)
        client.close()
      })()
      return closing
    },
  }
  return storage
}
