/**
 * What the primary said last of how far it has come: noted in the store, so that whoever takes over knows of it when every kernel that heard
 * it is gone.
 */
import { lastOf } from '../state/history.ts'
import type { HeardHead, Relation } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import type { PrimaryState } from './primary-state.ts'

/** Whoever lacks nothing notes it this often. */
const MIN_NOTE_INTERVAL_MS = 1000

export class LastHeard {
  readonly #host: SetHost
  #noted: HeardHead | undefined

  constructor(host: SetHost) {
    this.#host = host
  }

  /** @param applied Up to where the primary's records are here. */
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

  /** Of the primary's epoch that is followed; undefined where nobody of this cluster has heard of that. */
  async known({ history }: Relation): Promise<HeardHead | undefined> {
    const { store, kind } = this.#host
    const { value } = await kind.heard.read(store)
    return value?.origin === lastOf(history).origin ? value : undefined
  }
}
