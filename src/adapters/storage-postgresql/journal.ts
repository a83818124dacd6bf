/**
 * What this process knows of the commits of all: their verdicts, and what they changed, told to who watches.
 *
 * Rows are read in order, by whoever looks: each commit behind its lock, and the listener. So nothing is missed while a connection is
 * lost or a notification is, and own commits are told at once.
 */
import { changeFeed, type Feed } from '../../core/storage/feed.ts'
import type { Commit } from '../../core/storage/port.ts'
import { recentVerdicts } from '../../core/storage/verdicts.ts'
import type { Session } from './connections.ts'
import type { Row } from './driver.ts'
import { type JournalRow, readJournalRow } from './journal-row.ts'
import { JOURNAL_END, journalKey, literal, type TableName } from './table.ts'

/** The port demands 1,000 verdicts. These are seconds of a busy store, so that a connection may be away for a while. */
const KEPT = 16_384
const FORGET_EVERY = 4096
const ROWS_AT_ONCE = 256

/** What was read longer ago may have left many rows behind: they are read before the head is locked. */
const STALE_MS = 1000

export class Journal {
  readonly feed: Feed = changeFeed(0, FORGET_EVERY)
  readonly #verdicts = recentVerdicts<Commit>(KEPT)
  readonly #table: TableName
  #seen: Buffer = journalKey(0, 0)
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(table: TableName) {
    this.#table = table
  }

  get stale(): boolean {
    return performance.now() - this.#lookedAt > STALE_MS
  }

  verdict(id: string): Commit | undefined {
    return this.#verdicts.get(id)
  }

  /** The rows that are not known yet. Behind the lock of the head they are all there are. */
  rest(limit = 'ALL'): string {
    return `SELECT encode(k, 'hex') AS k, encode(v, 'hex') AS v FROM ${this.#table.full}
      WHERE k > ${literal(this.#seen)} AND k < ${literal(JOURNAL_END)} ORDER BY k LIMIT ${limit};`
  }

  read(rows: readonly Row[]): void {
    this.#lookedAt = performance.now()
    for (const row of rows) this.take(readJournalRow(row))
  }

  /** A row behind all that were taken before it; one that is known already is passed over. */
  take({ key, changes, verdicts }: JournalRow): void {
    if (Buffer.compare(key, this.#seen) <= 0) return
    this.#seen = key
    for (const [id, verdict] of verdicts) this.#verdicts.set(id, verdict)
    const [first] = changes
    // Rows between are forgotten already: then all that is known is that something was changed.
    if (first && first.revision > this.feed.revision + 1) this.feed.announce({ revision: changes.at(-1)!.revision, keys: null })
    else for (const change of changes) this.feed.announce(change)
  }

  /** Resolves when all is known that was committed before the call. */
  look(ask: <T>(work: (session: Session) => Promise<T>) => Promise<T>): Promise<void> {
    if (!this.#looking) {
      this.#looking = this.#lookAtAll(ask).finally(() => {
        this.#looking = undefined
      })
      return this.#looking
    }
    // That one may have looked already: all who come now share the next.
    this.#next ??= this.#looking
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.look(ask)
      })
    return this.#next
  }

  async #lookAtAll(ask: <T>(work: (session: Session) => Promise<T>) => Promise<T>): Promise<void> {
    for (let more = true; more; ) {
      const [rows = []] = await ask(({ run }) => run(this.rest(String(ROWS_AT_ONCE))))
      this.read(rows)
      more = rows.length === ROWS_AT_ONCE
    }
  }
}

/** Whether it is time to forget, after a transaction with `added` verdicts. */
export const timeToForget = (count: number, added: number): boolean =>
  Math.floor(count / FORGET_EVERY) > Math.floor((count - added) / FORGET_EVERY)

/** Outside of any commit: nobody waits for it. */
export async function forget({ run }: Session, { full }: TableName, count: number): Promise<void> {
  const all = `k > ${literal(journalKey(0, 0))} AND k < ${literal(JOURNAL_END)}`
  if (count > KEPT) await run(`DELETE FROM ${full} WHERE ${all} AND n <= ${count - KEPT}`)
}
