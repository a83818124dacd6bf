/**
 * The Storage port on PostgreSQL. Published as `strongroom/storage/postgresql`.
 */

import { checkCommit } from '../../core/storage/ops.ts'
import type { Capabilities, Op, Storage } from '../../core/storage/port.ts'
import { watchOnDemand } from '../../core/storage/watch-on-demand.ts'
import { PostgresqlCommitter } from './committer.ts'
import { type Session, withRetries } from './connections.ts'
import { describeFailure } from './describe-failure.ts'
import type { PgPoolClient } from './driver.ts'
import { isTransient } from './failures.ts'
import { assertClient, Joiner } from './join.ts'
import { forget, Journal, timeToForget } from './journal.ts'
import { Listener } from './listener.ts'
import { checkedOptions, type PostgresqlStorageOptions } from './options.ts'
import { listNames, readEntries, readRevision, scanEntries } from './reads.ts'
import { ReservedConnection } from './reserved-connection.ts'
import { openTable } from './schema.ts'
import { durabilityRisk } from './validate-table.ts'
import type { DecidedCommits } from './verdict.ts'

const ignore = (): void => undefined

const listened = new WeakSet<object>()

/**
 * A server that shuts down may end a session in the packet that completes the login, before the promise of `connect` has resolved. So the
 * listener is added on the pool's `acquire` event. It is never removed, because the connection may emit an error at any time.
 */
function listenForErrors(client: Pick<PgPoolClient, 'on'>): void {
  if (listened.has(client)) return
  listened.add(client)
  client.on('error', ignore)
}

/**
 * Copies the values. `Buffer.from` takes short buffers from Node's pool, which is faster than allocating and collecting a separate array
 * for each value.
 */
const copied = (ops: readonly Op[]): readonly Op[] =>
  ops.map((op) => ('value' in op ? { ...op, value: Buffer.from(op.value) } : { ...op }))

/**
 * A storage that many processes on many machines can share.
 *
 * The first call opens the store and creates the schema and the table if they are missing, even if several processes do so at the same
 * time. In an existing table, which may be empty, the database role needs SELECT, INSERT, UPDATE and DELETE, and USAGE on the schema.
 *
 * Waiting commits of a process share one transaction. A commit resolves when the server reports it as durable, so leave
 * `synchronous_commit` on; if it is off, the kernel's `status()` reports that. Serialization failures, deadlocks and lost connections are
 * retried until `timeoutMs` is over. Then the call rejects with the error, or with {@link OutcomeUnknown} if a commit may have taken
 * effect.
 *
 * A table that you create yourself must be `(k bytea PRIMARY KEY, v bytea NOT NULL, n bigint NOT NULL)` and nothing else. A table that is
 * UNLOGGED or temporary is refused, and so is one with other columns or keys, rules, triggers or row level security.
 *
 * `join` (the option `transaction` of the kernel's writes) takes the client on which the application has begun a transaction. From then
 * until the transaction ends, all other writers of the store wait. So join late, commit soon, and await no other write of the kernel in
 * between. With an isolation level stricter than READ COMMITTED, `join` may fail with a serialization failure (40001); then the application
 * must start its transaction again.
 *
 * The storage runs plain SQL on one table: no stored functions, advisory locks, sequences or temporary tables. If the server does not
 * support `LISTEN`, the storage polls.
 * @throws TypeError for a pool of one connection, and for invalid names.
 */
export function postgresqlStorage(options: PostgresqlStorageOptions): Storage {
  const { pool, name, timeoutMs, pollMs, heartbeatMs } = checkedOptions(options)
  let risk: string | undefined
  const caps: Capabilities = Object.freeze({
    durable: true,
    // A getter, because the server settings are read only when the store is opened.
    get risk() {
      return risk
    },
    shared: true,
    maxOps: 10_000,
    maxValueBytes: 64 * 1024 * 1024,
  })
  const journal = new Journal(name)
  const joiner = new Joiner(name, timeoutMs)
  /**
   * Reads and the listener share a connection, because they run single statements. A commit needs a separate connection, because inside its
   * transaction it waits for other writers.
   */
  const reads = new ReservedConnection(pool, true)
  const commits = new ReservedConnection(pool, false)
  const running = new Set<Promise<unknown>>()
  let channel: Promise<string> | undefined
  let listening: Promise<Listener> | undefined
  let notifies = true
  let closing: Promise<void> | undefined

  pool.on('error', ignore)
  pool.on('acquire', listenForErrors)

  const assertOpen = (): void => {
    if (closing) throw new TypeError('the storage is closed')
  }

  const keep = <T>(work: Promise<T>): Promise<T> => {
    running.add(work)
    const done = (): void => void running.delete(work)
    work.then(done, done)
    return work
  }

  /** Both connections are kept while the store is watched. */
  const keepConnections = (kept: boolean): void => {
    for (const line of [reads, commits]) line.keep(kept)
  }

  const begin = async (): Promise<string> => {
    const opened = await withRetries(reads, timeoutMs, (session) => openTable(session, name))
    risk = await withRetries(commits, timeoutMs, durabilityRisk)
    return opened.channel
  }

  /** Opens the store once. After a failure, the next call tries again. */
  const open = (): Promise<string> => {
    channel ??= begin().catch((error) => {
      channel = undefined
      throw error
    })
    return channel
  }

  const ask = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    await open()
    return withRetries(reads, timeoutMs, work)
  }

  const look = (): Promise<void> => journal.look(ask)

  const read = <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    assertOpen()
    return keep(ask(work))
  }

  /**
   * Sends the notification in a separate transaction after the commit. Inside the commit, a server without NOTIFY would undo the commit,
   * and any other server would hold its lock on the notification queue until the commit is on disk.
   */
  const notify = async (session: Session): Promise<void> => {
    try {
      await session.run(`NOTIFY "${await open()}"`)
    } catch (error) {
      if (isTransient(error)) throw error
      notifies = false
    }
  }

  const committed = async ({ changes, count, remembered }: DecidedCommits, session: Session): Promise<void> => {
    if (timeToForget(count, remembered.length)) keep(ask((other) => forget(other, name, count))).catch(ignore)
    if (notifies && changes.length > 0) await notify(session)
  }

  const committer = new PostgresqlCommitter({
    source: commits,
    timeoutMs,
    name,
    journal,
    committed,
    open: async () => {
      await open()
      if (journal.stale) await look()
    },
  })

  const listen = async (): Promise<Listener> => {
    const revision = () => journal.feed.revision
    const listener = new Listener({ source: reads, timeoutMs, pollMs, heartbeatMs, channel: await open(), look, revision })
    await listener.start()
    return listener
  }

  const stopListening = (): void => {
    listening?.then((listener) => listener.stop()).catch(ignore)
    listening = undefined
  }

  return {
    caps,
    async get(key) {
      return read(async (session) => (await readEntries(session, name, [key]))[0])
    },
    async getMany(keys) {
      return read((session) => readEntries(session, name, keys))
    },
    async scan(prefix, page = {}) {
      return read((session) => scanEntries(session, name, prefix, page))
    },
    async list(prefix, page = {}) {
      return read((session) => listNames(session, name, prefix, page))
    },
    async commit(ops, id) {
      assertOpen()
      checkCommit(ops, id, caps)
      return committer.commit(copied(ops), id)
    },
    async join(ops, transaction) {
      assertOpen()
      assertClient(transaction)
      checkCommit(ops, 'joined', caps)
      const own = copied(ops)
      const notification = notifies ? `NOTIFY "${await open()}";` : ''
      await open()
      return keep(joiner.join(own, transaction, notification))
    },
    async revision(fresh) {
      assertOpen()
      if (!listening) return read((session) => readRevision(session, name))
      await keep(listening)
      // Reading the journal updates the revision and also announces all changes to watchers.
      if (fresh) await keep(look())
      return journal.feed.revision
    },
    watch: watchOnDemand({
      feed: journal.feed,
      async start() {
        assertOpen()
        keepConnections(true)
        listening ??= listen()
        await keep(listening)
        // Reserve the connection for commits now, before the application's transactions can use all connections.
        await withRetries(commits, timeoutMs, async () => undefined)
        assertOpen()
      },
      stop() {
        keepConnections(false)
        stopListening()
      },
    }),
    describeFailure,
    async close() {
      closing ??= (async () => {
        await committer.settled()
        journal.feed.close()
        stopListening()
        await Promise.allSettled(running)
        reads.close(false)
        commits.close(true)
        pool.removeListener('error', ignore)
        pool.removeListener('acquire', listenForErrors)
      })()
      return closing
    },
  }
}
