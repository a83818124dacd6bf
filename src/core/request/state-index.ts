/**
 * The index header. Every response names the state of the store from which it was created. A request that names a state waits until this
 * process has that state. So a client reads its own writes, even through another process or cluster.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { KernelRequest } from '../contract/request.ts'
import { readHeader } from '../exchange/headers.ts'
import type { Host } from '../transaction/host.ts'
import type { PositionStatus } from '../transaction/replication-position.ts'

type Headers = Readonly<Record<string, string>>

/** The value of the header: a revision of the store; in a replication set, also the cluster, epoch and log index. */
const FORM = /^(\d{1,15})(?:\.([0-9a-f-]{36})\.(\d{1,9})\.(\d{1,15}))?$/

const WAIT_MS = 2000
/** How long to wait for the watch to report a revision before the newest revision is read from the store. */
const LOOK_MS = 200

export class StateIndex {
  readonly #host: Pick<Host, 'clock' | 'freshness' | 'store' | 'replicationPosition'>
  readonly #name: string
  #stamped: { readonly of: Headers; readonly at: number; readonly set: string | undefined; readonly headers: Headers } | undefined

  constructor(host: Pick<Host, 'clock' | 'freshness' | 'store' | 'replicationPosition'>, headerPrefix: string) {
    this.#host = host
    this.#name = `${headerPrefix}-Index`
  }

  /**
   * Waits for the state that the request names. Returns undefined if the request names no state or this process already has the state. The
   * promise rejects with 412 if this process does not get the state in time. @throws KernelError 400 if the header is malformed
   */
  reached(headers: KernelRequest['headers']): Promise<void> | undefined {
    const sent = readHeader(headers, this.#name)
    if (!sent) return undefined
    const [, digits, cluster, epoch, index] = FORM.exec(sent) ?? []
    if (digits === undefined) throw invalid(`${this.#name}: must be the value of this header in an earlier answer`)
    if (cluster !== undefined) {
      const elsewhere =
        this.#host.replicationPosition.source?.waitFor({ cluster, epoch: Number(epoch), index: Number(index) }) ?? 'own'
      if (elsewhere === 'here') return undefined
      if (elsewhere !== 'own') return this.#arrives(elsewhere)
    }
    const revision = Number(digits)
    return this.#host.freshness.applied >= revision ? undefined : this.#wait(revision)
  }

  async #arrives(reached: Promise<PositionStatus>): Promise<void> {
    if ((await reached) !== 'here') throw new KernelError('ERR_PRECONDITION', 'required index state not present')
  }

  /**
   * Adds the header to a response. The result is cached, because nearly all responses have the same headers, and the state changes only
   * with commits.
   */
  stamp(headers: Headers): Headers {
    const { latest } = this.#host.freshness
    if (latest === 0) return headers
    const set = this.#host.replicationPosition.source?.current()
    if (this.#stamped?.of !== headers || this.#stamped.at !== latest || this.#stamped.set !== set) {
      const index = set === undefined ? String(latest) : `${latest}.${set}`
      this.#stamped = { of: headers, at: latest, set, headers: Object.freeze({ ...headers, [this.#name]: index }) }
    }
    return this.#stamped.headers
  }

  async #wait(wanted: number): Promise<void> {
    const { freshness, store } = this.#host
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
      await this.#waitForReport(wanted)
      // The watch has not reported the revision, although the store has it. Renew the caches instead of waiting for the watch.
      if (freshness.applied < wanted && (await store.newestRevision()) >= wanted) await freshness.renew()
      if (freshness.applied >= wanted) return
    }
    throw new KernelError('ERR_PRECONDITION', 'required index state not present')
  }

  /** Waits until the watch has reported the revision, but only for a limited time. */
  async #waitForReport(wanted: number): Promise<void> {
    const { clock, freshness } = this.#host
    const over = new AbortController()
    const late = clock.sleep(LOOK_MS, over.signal).catch(() => {})
    await Promise.race([freshness.waitForRevision(wanted, over.signal), late])
    over.abort()
  }
}
