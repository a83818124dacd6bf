/**
 * This process's knowledge of all commits: their verdicts, and their changes, which it announces to watchers.
 *
 * Rows are read in order, by each commit under its lock and by the listener. So nothing is missed while a connection or a notification is
 * lost, and the process announces its own commits immediately.
 */
import { changeFeed, type Feed } from '../../core/storage/feed.ts'
import { FreshSingleFlight } from '../../core/storage/fresh-single-flight.ts'
import type { Commit } from '../../core/storage/port.ts'
import { recentVerdicts } from '../../core/storage/verdicts.ts'
import type { Session } from './connections.ts'
import type { Row } from './driver.ts'
import { type JournalRow, readJournalRow } from './journal-row.ts'
import { fromHex, JOURNAL_END, journalKey, literal, type TableName } from './table.ts'

/** The port requires 1,000 verdicts. This number covers seconds of a busy store, in which a connection may be lost. */
const KEPT = 16_384
const FORGET_EVERY = 4096
const ROWS_AT_ONCE = 256

/** After this time many rows may be unread: they are read before the head is locked. */
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

  /** Queries the unread rows. Under the lock of the head these are all rows. */
  rest(limit = 'ALL'): string {
    return `SELECT encode(k, 'hex') AS k, encode(v, 'hex') AS v FROM ${this.#table.full}
      WHERE k > ${literal(this.#seen)} AND k < ${literal(JOURNAL_END)} ORDER BY k LIMIT ${limit};`
  }

  read(rows: readonly Row[]): void {
    this.#lookedAt = performance.now()
    // Most rows of this process's own transactions are known, because they ended during the query.
    for (const row of rows) if (this.#isNew(fromHex(row['k']))) this.take(readJournalRow(row))
  }

  #isNew(key: Buffer): boolean {
    return Buffer.compare(key, this.#seen) > 0
  }

  /** Takes the next row in order; skips a known one. */
  take({ key, changes, verdicts }: JournalRow): void {
    if (!this.#isNew(key)) return
    this.#seen = key
    for (const [id, verdict] of verdicts) this.#verdicts.set(id, verdict)
    const [first] = changes
    // The rows between were deleted already, so the changes are unknown.
    if (first && first.revision > this.feed.revision + 1) this.feed.announce({ revision: changes.at(-1)!.revision, keys: null })
    else for (const change of changes) this.feed.announce(change)
  }

  /** Resolves when all commits before the call are known. */
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

/** Whether old rows are to be deleted, after a transaction with `added` verdicts. */
export const timeToForget = (count: number, added: number): boolean =>
  Math.floor(count / FORGET_EVERY) > Math.floor((count - added) / FORGET_EVERY)

/** Runs outside any commit, so that no commit waits for it. */
export async function forget({ run }: Session, { full }: TableName, count: number): Promise<void> {
  const all = `k > ${literal(journalKey(0, 0))} AND k < ${literal(JOURNAL_END)}`
  if (count > KEPT) await run(`DELETE FROM ${full} WHERE ${all} AND n <= ${count - KEPT}`)
}
