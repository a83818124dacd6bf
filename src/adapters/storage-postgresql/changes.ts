/**
 * How a process learns of commits, its own and those of others. Room: adapters/storage-postgresql.
 *
 * The rows of changes are what counts; a notification only says that it is time to look at them. So nothing is missed while a connection
 * is lost, where a notification is, or where the server knows none.
 */
import { changeFeed, type Feed } from '../../core/storage/feed.ts'
import type { Change, Revision } from '../../core/storage/port.ts'
import type { Session } from './connections.ts'
import { CHANGES_END, changeKey, fromHex, literal, type TableName } from './table.ts'

/** Groups of commits that are read at once. */
const GROUPS_AT_ONCE = 100

type Ask = <T>(work: (session: Session, name: TableName) => Promise<T>) => Promise<T>

/** All changes after a revision, told to who watches. */
export class Changes {
  readonly feed: Feed
  readonly #ask: Ask
  #looking: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** @param start What came before is not told one by one. */
  constructor(start: Revision, ask: Ask) {
    this.feed = changeFeed(start)
    this.#ask = ask
  }

  /** Own commits, just made: told at once, unless those of others came between. */
  own(changes: readonly Change[]): void {
    if (changes.length === 0) return
    if (changes[0]!.revision <= this.feed.revision + 1) for (const change of changes) this.feed.announce(change)
    else this.look().catch(() => undefined)
  }

  /** Resolves when all commits are told that were made before the call. */
  look(): Promise<void> {
    if (!this.#looking) {
      this.#looking = this.#lookAtAll().finally(() => {
        this.#looking = undefined
      })
      return this.#looking
    }
    // That one may have looked already: all who come now share the next.
    this.#next ??= this.#looking
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.look()
      })
    return this.#next
  }

  async #lookAtAll(): Promise<void> {
    while (await this.#readSome());
  }

  /** Whether there may be more. */
  async #readSome(): Promise<boolean> {
    const { feed } = this
    const rows = await this.#ask(async ({ run }, { full }) => {
      const [found = []] = await run(
        `SELECT encode(v, 'hex') AS v, n FROM ${full} WHERE k > ${literal(changeKey(feed.revision))} AND k < ${literal(CHANGES_END)}
         ORDER BY k LIMIT ${GROUPS_AT_ONCE}`,
      )
      return found
    })
    for (const row of rows) {
      const group = JSON.parse(fromHex(row['v']).toString('utf8')) as [Revision, readonly string[] | null][]
      // Some are forgotten already: then all that is known is that there were some.
      const gap = Number(row['n']) > feed.revision + 1
      if (gap) feed.announce({ revision: group.at(-1)![0], keys: null })
      else for (const [revision, keys] of group) feed.announce({ revision, keys })
    }
    return rows.length === GROUPS_AT_ONCE
  }
}
