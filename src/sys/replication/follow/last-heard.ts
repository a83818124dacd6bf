/**
 * Stores the position that the primary last reported. A promotion can then use the position, even if the kernel that received it no longer
 * runs.
 */
import { lastOf } from '../state/history.ts'
import type { HeardHead, Relation } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import type { PrimaryState } from './primary-state.ts'

/** The minimum interval between two stored positions. A new position of the primary beyond the applied records is stored at once. */
const MIN_NOTE_INTERVAL_MS = 1000

export class LastHeard {
  readonly #host: SetHost
  #noted: HeardHead | undefined

  constructor(host: SetHost) {
    this.#host = host
  }

  /** @param applied The index up to which this cluster has applied the primary's records. */
  async note({ history, head, acknowledged }: PrimaryState, applied: number, at: number): Promise<void> {
    const { origin } = lastOf(history)
    const { store, kind } = this.#host
    const noted = this.#noted?.origin === origin ? this.#noted : undefined
    const isNews = noted?.head !== head && head > applied
    if (noted && !isNews && Math.abs(at - noted.at) < MIN_NOTE_INTERVAL_MS) return
    const heard = { origin, head, ...(acknowledged === undefined ? {} : { acknowledged }), at }
    this.#noted = heard
    await store.commit([kind.heard.put(store, heard)])
  }

  /** Returns the last position reported in the primary's current epoch; undefined if no kernel of this cluster received one. */
  async known({ history }: Relation): Promise<HeardHead | undefined> {
    const { store, kind } = this.#host
    const { value } = await kind.heard.read(store)
    return value?.origin === lastOf(history).origin ? value : undefined
  }
}
