/**
 * Reading one's own writes through several processes: every answer tells the state it was made from, and a request that names a state
 * waits for it. Room: core/request. Imported by the path view and the lifecycle.
 */
import type { Clock } from '../clock.ts'
import { invalid, KernelError } from '../errors.ts'
import type { Store } from '../transaction/store.ts'
import { readHeader } from './headers.ts'
import type { KernelRequest } from './request.ts'

type Headers = Readonly<Record<string, string>>

const WAIT_MS = 2000
const POLL_MS = 20

export class StateIndex {
  readonly #store: Store
  readonly #clock: Clock
  readonly #name: string
  #stamped: { readonly of: Headers; readonly at: number; readonly headers: Headers } | undefined

  constructor(store: Store, clock: Clock, headerPrefix: string) {
    this.#store = store
    this.#clock = clock
    this.#name = `${headerPrefix}-Index`
  }

  /** Undefined when the request names no state, or one that is reached. @throws KernelError 400, later 412 */
  reached(headers: KernelRequest['headers']): Promise<void> | undefined {
    const sent = readHeader(headers, this.#name)
    if (!sent) return undefined
    if (!/^\d{1,15}$/.test(sent)) throw invalid(`${this.#name}: must be a number that an answer carried`)
    return this.#store.applied >= Number(sent) ? undefined : this.#wait(Number(sent))
  }

  /** Nearly all answers have the same headers and the state changes only with commits, so the last result often serves again. */
  stamp(headers: Headers): Headers {
    const { applied } = this.#store
    if (applied === 0) return headers
    if (this.#stamped?.of !== headers || this.#stamped.at !== applied)
      this.#stamped = { of: headers, at: applied, headers: Object.freeze({ ...headers, [this.#name]: String(applied) }) }
    return this.#stamped.headers
  }

  async #wait(wanted: number): Promise<void> {
    for (let waited = 0; waited < WAIT_MS; waited += POLL_MS) {
      // Alone on a store there is nothing to be told of: what was committed has been applied.
      if (!this.#store.storage.caps.shared && (await this.#store.newest()) >= wanted) return
      if (this.#store.applied >= wanted) return
      await this.#clock.sleep(POLL_MS)
    }
    throw new KernelError('ERR_PRECONDITION', 'required index state not present')
  }
}
