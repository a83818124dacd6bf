/** Caches the ends of logs: the index of the last record of each log. */
import { logIndex, logKey } from '../../core/storage/port.ts'
import type { EtcdClient } from './client.ts'
import { endOfHead, type LogEnd, type LogEndsByName } from './commit-unit.ts'
import { keyAfter, type Layout } from './layout.ts'

const RECORDS_AT_ONCE = 64

export class LogEnds {
  readonly #known = new Map<string, LogEnd>()
  readonly #client: EtcdClient
  readonly #layout: Layout

  constructor(client: EtcdClient, layout: Layout) {
    this.#client = client
    this.#layout = layout
  }

  note(log: string, end: LogEnd): void {
    if (end.modified > 0) this.#known.set(log, end)
    else this.#known.delete(log)
  }

  forget(logs: readonly string[]): void {
    for (const log of logs) this.#known.delete(log)
  }

  async of(logs: readonly string[]): Promise<LogEndsByName> {
    const ends = new Map<string, LogEnd>()
    for (const log of logs) {
      const end = this.#known.get(log) ?? (await this.#read(log))
      this.note(log, end)
      ends.set(log, end)
    }
    return ends
  }

  async #read(log: string): Promise<LogEnd> {
    const { found } = await this.#client.range({ key: this.#layout.log(log) })
    return found.length > 0 ? endOfHead(found[0]) : { modified: 0, index: await this.#lastRecord(log) }
  }

  /**
   * The index of the last record of a log whose last index is not stored under `l/`, as in a copied store. Between the keys of these
   * records there may be keys of other records.
   */
  async #lastRecord(log: string): Promise<number> {
    const key = this.#layout.record(logKey(log, 1))
    for (let end = keyAfter(this.#layout.record(logKey(log, Number.MAX_SAFE_INTEGER))); ; ) {
      const page = { key, end, limit: RECORDS_AT_ONCE, keysOnly: true, order: 'last first' } as const
      const { found } = await this.#client.range(page)
      for (const one of found) {
        const index = logIndex(log, this.#layout.keyOf(one.key))
        if (index > 0) return index
      }
      if (found.length < RECORDS_AT_ONCE) return 0
      end = found.at(-1)!.key
    }
  }
}
