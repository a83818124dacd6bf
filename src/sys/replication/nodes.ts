/**
 * The kernels of this cluster that answer, so that others may ask any of them.
 */
import type { Host } from '../../core/transaction/host.ts'
import { decode, Sheet } from './state/records.ts'

interface Node {
  readonly address: string
  /** Milliseconds. */
  readonly at: number
}

const NODES = 'i/replication/node/'

/** A kernel that has not said so for this long does not answer any more. */
const GONE_AFTER_MS = 60_000

const SAY_EVERY_MS = 15_000

const MOST_SHOWN = 32

export class Nodes {
  readonly #host: Host
  readonly #sheet: Sheet<Node>
  #said: Node | undefined

  constructor(host: Host, owner: string) {
    this.#host = host
    this.#sheet = new Sheet(NODES + owner)
  }

  /** Says where this kernel answers. */
  async say(address: string): Promise<void> {
    const at = this.#host.clock.now()
    if (this.#said?.address === address && Math.abs(at - this.#said.at) < SAY_EVERY_MS) return
    await this.#host.store.commit([this.#sheet.put(this.#host.store, { address, at })])
    this.#said = { address, at }
  }

  /** This kernel answers no more. */
  async unsay(): Promise<void> {
    if (!this.#said) return
    this.#said = undefined
    await this.#host.store.commit([{ op: 'del', key: this.#sheet.key }])
  }

  /** The addresses of all kernels, each once, the own one first. */
  async addresses(): Promise<readonly string[]> {
    const found = await this.#host.store.scan(NODES, () => true)
    const now = this.#host.clock.now()
    const all = found.flatMap(({ value }) => (value ? [decode<Node>(value)] : []))
    const live = all.filter(({ at }) => Math.abs(now - at) < GONE_AFTER_MS).map(({ address }) => address)
    return [...new Set([...(this.#said ? [this.#said.address] : []), ...live])].slice(0, MOST_SHOWN)
  }

  /** Forgets kernels that ended without a word. */
  async clear(): Promise<void> {
    const { store, clock } = this.#host
    const found = await store.scan(NODES, () => true)
    const gone = found.filter(({ value }) => value && clock.now() - decode<Node>(value).at > 10 * GONE_AFTER_MS)
    for (const { key, version } of gone.slice(0, 100)) await store.commit([{ op: 'del', key, expect: version }])
  }
}
