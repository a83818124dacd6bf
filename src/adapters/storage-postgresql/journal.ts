/**
 * Keeps the verdicts of recent commits, and announces the changes of all processes to watchers.
 *
 * The rows of the journal are read in order: by each commit under its lock on the head, and by the listener. So no change is missed when a
 * connection or a notification is lost. Changes of the process itself are announced immediately.
 */
import { changeFeed, type Feed } from '../../core/storage/feed.ts'
import { FreshSingleFlight } from '../../core/storage/fresh-single-flight.ts'
import type { Commit } from '../../core/storage/port.ts'
import { recentVerdicts } from '../../core/storage/verdicts.ts'
import type { Session } from './connections.ts'
import type { Row } from './driver.ts'
import { type JournalRow, readJournalRow } from './journal-row.ts'
import { fromHex, JOURNAL_END, journalKey, literal, type TableName } from './table.ts'

/**
 * The number of verdicts that are kept. The storage port requires 1,000. This number covers several seconds of a busy store, enough time to
 * replace a lost connection and query the outcome of a commit.
 */
const KEPT = 16_384
const FORGET_EVERY = 4096
const ROWS_AT_ONCE = 256

/**
 * If the journal was last read longer ago than this, many rows may be unread, so they are read before the head is locked. Reading them under
 * the lock would make other writers wait.
 */
const STALE_MS = 1000

export class Journal {
  readonly feed: Feed = changeFeed(0, FORGET_EVERY)
  readonly #verdicts = recentVerdicts<Commit>(KEPT)
  readonly #table: TableName
  #seen: Buffer = journalKey(0, 0)
  #lookedAt = Number.NEGATIVE_INFINITY
  readonly #looks = new FreshSingleFlight<void>()

  constructor(table: TableName) {
    this.#table = table
  }

  get stale(): boolean {
    return performance.now() - this.#lookedAt > STALE_MS
  }

  verdict(id: string): Commit | undefined {
    return this.#verdicts.get(id)
  }

  /** The SQL that reads the unread rows. While the head is locked, no other transaction can add rows. */
  rest(limit = 'ALL'): string {
    return `SELECT encode(k, 'hex') AS k, encode(v, 'hex') AS v FROM ${this.#table.full}
      WHERE k > ${literal(this.#seen)} AND k < ${literal(JOURNAL_END)} ORDER BY k LIMIT ${limit};`
  }

  read(rows: readonly Row[]): void {
    this.#lookedAt = performance.now()
    // Skip rows that `take` has already processed: transactions of this process may have ended during the query.
    for (const row of rows) if (this.#isNew(fromHex(row['k']))) this.take(readJournalRow(row))
  }

  #isNew(key: Buffer): boolean {
    return Buffer.compare(key, this.#seen) > 0
  }

  /** Processes the next row in order. A row that was already processed is skipped. */
  take({ key, changes, verdicts }: JournalRow): void {
    if (!this.#isNew(key)) return
    this.#seen = key
    for (const [id, verdict] of verdicts) this.#verdicts.set(id, verdict)
    const [first] = changes
    // If revisions are missing, their rows were deleted before they were read, so announce that anything may have changed.
    if (first && first.revision > this.feed.revision + 1) this.feed.announce({ revision: changes.at(-1)!.revision, keys: null })
    else for (const change of changes) this.feed.announce(change)
  }

  /** Reads the unread rows. Resolves when all commits that were made before the call have been read. */
  look(ask: <T>(work: (session: Session) => Promise<T>) => Promise<T>): Promise<void> {
    return this.#looks.run(() => this.#lookAtAll(ask))
  }

  async #lookAtAll(ask: <T>(work: (session: Session) => Promise<T>) => Promise<T>): Promise<void> {
    for (let more = true; more; ) {
      const [rows = []] = await ask(({ run }) => run(this.rest(String(ROWS_AT_ONCE))))
      this.read(rows)
      more = rows.length === ROWS_AT_ONCE
    }
  }
}

/** Whether to delete old rows, after a transaction that stored `added` verdicts and increased their number to `count`. */
export const timeToForget = (count: number, added: number): boolean =>
  Math.floor(count / FORGET_EVERY) > Math.floor((count - added) / FORGET_EVERY)

/** Deletes old rows. Runs outside any commit, so that no commit waits for it. */
export async function forget({ run }: Session, { full }: TableName, count: number): Promise<void> {
  const all = `k > ${literal(journalKey(0, 0))} AND k < ${literal(JOURNAL_END)}`
  if (count > KEPT) await run(`DELETE FROM ${full} WHERE ${all} AND n <= ${count - KEPT}`)
}
