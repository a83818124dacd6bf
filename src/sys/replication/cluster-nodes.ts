/** The kernels of this cluster that accept replication messages, so that other clusters can reach any of them. */
import type { Host } from '../../core/transaction/host.ts'
import { decodeSlot, RecordSlot } from './state/records.ts'

interface Node {
  readonly address: string
  /** Milliseconds. */
  readonly at: number
}

const NODE_KEYS = 'i/replication/node/'

/** A kernel that has not announced itself for this long counts as gone. */
const EXPIRES_AFTER_MS = 60_000

const ANNOUNCE_INTERVAL_MS = 15_000

const MAX_ADDRESSES = 32

export class ClusterNodes {
  readonly #host: Host
  readonly #slot: RecordSlot<Node>
  #announced: Node | undefined

  constructor(host: Host, owner: string) {
    this.#host = host
    this.#slot = new RecordSlot(NODE_KEYS + owner)
  }

  /** Stores the address of this kernel, so that it is passed on to other clusters. */
  async announce(address: string): Promise<void> {
    const at = this.#host.clock.now()
    if (this.#announced?.address === address && Math.abs(at - this.#announced.at) < ANNOUNCE_INTERVAL_MS) return
    await this.#host.store.commit([this.#slot.put(this.#host.store, { address, at })])
    this.#announced = { address, at }
  }

  /** Removes the address of this kernel. */
  async withdraw(): Promise<void> {
    if (!this.#announced) return
    this.#announced = undefined
    await this.#host.store.commit([{ op: 'del', key: this.#slot.key }])
  }

  /** Returns the addresses of all kernels without duplicates, this kernel's first. */
  async addresses(): Promise<readonly string[]> {
    const found = await this.#host.store.scan(NODE_KEYS, () => true)
    const now = this.#host.clock.now()
    const all = found.flatMap(({ value }) => (value ? [decodeSlot<Node>(value)] : []))
    const live = all.filter(({ at }) => Math.abs(now - at) < EXPIRES_AFTER_MS).map(({ address }) => address)
    return [...new Set([...(this.#announced ? [this.#announced.address] : []), ...live])].slice(0, MAX_ADDRESSES)
  }

  /** Removes kernels that ended without withdrawing their address. */
  async removeExpired(): Promise<void> {
    const { store, clock } = this.#host
    const found = await store.scan(NODE_KEYS, () => true)
    const gone = found.filter(({ value }) => value && clock.now() - decodeSlot<Node>(value).at > 10 * EXPIRES_AFTER_MS)
    for (const { key, version } of gone.slice(0, 100)) await store.commit([{ op: 'del', key, expect: version }])
  }
}
