/**
 * Anchors: the store records the last entry of each audit chain, so that verification detects a truncated log.
 *
 * A chain is anchored when it begins, after every 1,024 entries, at every tick, and when it ends. If the process crashes, the entries after
 * the last anchor can be removed from the log unnoticed.
 */
import { withFormat } from '../contract/record-kind.ts'
import { MAX_COMMIT_OPS } from '../storage/max-commit-ops.ts'
import type { Op } from '../storage/port.ts'
import { coreKeyPrefix } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import type { Device } from './device.ts'
import { CHAIN, type ChainRecord } from './records.ts'

const CHAINS = /* @__PURE__ */ coreKeyPrefix(CHAIN)
/** The number of entries after which a chain is anchored if no tick has anchored it. */
const ENTRIES_PER_ANCHOR = 1024
/** The maximum number of stored chains per sink. If there are more, the oldest ended chains are deleted. */
const MAX_CHAINS = 256

interface Anchored {
  readonly began: number
  number: number
}

export class Anchors {
  readonly #host: Host
  readonly #anchored = new Map<Device, Anchored>()
  #running: Promise<void> | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** Stores the first anchor of each new chain. Without this anchor, the whole chain could be removed from the log unnoticed. */
  async begin(devices: readonly Device[]): Promise<void> {
    const { clock } = this.#host
    const began = clock.now()
    const fresh = devices.filter((device) => !this.#anchored.has(device))
    if (fresh.length === 0) return
    const old = await Promise.all(fresh.map(({ owner }) => this.#outlived(owner)))
    await this.#commit([...fresh.map((device) => this.#op(device, { number: 0, mac: '', began })), ...old.flat()])
    for (const device of fresh) this.#anchored.set(device, { began, number: 0 })
  }

  /** Called for every entry. If enough entries were written since the last anchor, anchors the chains in the background. */
  note(device: Device): void {
    const known = this.#anchored.get(device)
    if (known && device.head.number - known.number >= ENTRIES_PER_ANCHOR) void this.anchor().catch(() => {})
  }

  /** Anchors every chain at its last entry. */
  anchor(): Promise<void> {
    this.#running ??= this.#anchor().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #anchor(): Promise<void> {
    const moved = [...this.#anchored].filter(([device, { number }]) => device.head.number !== number)
    if (moved.length === 0) return
    const heads = moved.map(([device, known]) => ({ device, known, head: device.head }))
    await this.#commit(heads.map(({ device, known: { began }, head }) => this.#op(device, { ...head, began })))
    for (const { known, head } of heads) known.number = Math.max(known.number, head.number)
  }

  /**
   * Ends the chains of devices to which no more entries will be written. Encrypts the records immediately, because the barrier may be
   * sealed before the commit.
   */
  end(devices: readonly Device[]): Promise<void> {
    const ended = devices.flatMap((device) => {
      const known = this.#anchored.get(device)
      this.#anchored.delete(device)
      return known ? [{ device, record: { ...device.head, began: known.began, ended: true as const } }] : []
    })
    // Nothing can be stored while the barrier is sealed.
    if (ended.length === 0 || !this.#host.store.barrier.open) return Promise.resolve()
    const ops = ended.map(({ device, record }) => this.#op(device, record))
    const commit = async (): Promise<void> => {
      await this.#running?.catch(() => {})
      await this.#commit(ops)
    }
    // Ignore a failure: verification then treats the chain like that of a process that crashed.
    return commit().catch(() => {})
  }

  /** The operations have no expectations and do not depend on each other, so they may be divided into several commits. */
  async #commit(ops: readonly Op[]): Promise<void> {
    for (let at = 0; at < ops.length; at += MAX_COMMIT_OPS) await this.#host.store.commit(ops.slice(at, at + MAX_COMMIT_OPS))
  }

  #op(device: Device, record: ChainRecord): Op {
    const { store } = this.#host
    return store.encryptedPut(
      `${CHAINS}${device.owner}/${device.chain.id}`,
      withFormat(CHAIN.format, CHAIN.encode(record)),
      undefined,
    )
  }

  /** Returns the operations that delete the oldest ended chains of a sink if it has too many chains. */
  async #outlived(owner: string): Promise<readonly Op[]> {
    const { store } = this.#host
    const prefix = `${CHAINS}${owner}/`
    if ((await store.list(prefix, { limit: MAX_CHAINS + 1 })).length <= MAX_CHAINS) return []
    const chains = (await chainsOf(this.#host, owner)).filter(({ record }) => record.ended)
    chains.sort((a, b) => a.record.began - b.record.began)
    return chains.slice(0, MAX_CHAINS / 4).map(({ id }) => ({ op: 'del', key: prefix + id }) as const)
  }
}

/** All stored chains of a sink. */
export async function chainsOf(
  { store }: Host,
  owner: string,
): Promise<readonly { readonly id: string; readonly record: ChainRecord }[]> {
  const prefix = `${CHAINS}${owner}/`
  const found = await store.scan(prefix, () => true)
  return found.map(({ key, value = new Uint8Array() }) => ({
    id: key.slice(prefix.length),
    record: CHAIN.decode(value.subarray(1), value[0] ?? 0),
  }))
}
