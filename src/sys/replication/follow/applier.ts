/**
 * What a comparison found becomes commits of bounded size. Mounts come last, and those that every store has together with those in their
 * place: a cluster that joins would be without a system mount in between.
 */
import { MOUNT, type MountRecord } from '../../../core/contract/mount-record.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import type { Op } from '../../../core/storage/port.ts'
import { endOfFolder } from '../../../core/transaction/cache.ts'
import type { Fence } from '../../../core/transaction/place.ts'
import { checksOf, guardOf } from '../../../core/transaction/writes.ts'
import { MOUNT_KEYS } from '../filters/views.ts'
import type { SentOp } from '../serve/fetch.ts'
import type { SetHost } from '../state/set-host.ts'
import { clearingOps, committed, guardOp, opOf } from './apply.ts'
import { exchanged, isOfEveryStore } from './exchange-mounts.ts'

/** Changes in one commit; each may bring the guard of its folder. */
const PER_COMMIT = 50

const MOST_BYTES = 1_048_576

/** Mounts that wait for the end. */
const MOST_MOUNTS = 1000

export class Applier {
  readonly #host: SetHost
  readonly #fences: readonly Fence[]
  readonly #own: readonly MountRecord[]
  #waiting: SentOp[] = []
  #mounts: SentOp[] = []
  readonly #ofEveryStore: SentOp[] = []
  readonly #left = new Set<string>()
  #bytes = 0
  done = 0

  /** @param own The mounts of every store that are here. */
  constructor(host: SetHost, fences: readonly Fence[], own: readonly MountRecord[]) {
    this.#host = host
    this.#fences = fences
    this.#own = own
  }

  async add(op: SentOp): Promise<void> {
    if (!op.key.startsWith(MOUNT_KEYS)) await this.take(op)
    else if (this.#isOfEveryStore(op)) this.#ofEveryStore.push(op)
    else if (this.#mounts.length < MOST_MOUNTS) this.#mounts.push(op)
    else await this.take(op)
  }

  #isOfEveryStore({ key, value }: SentOp): boolean {
    if (value) return isOfEveryStore(decodeRecord(MOUNT, value))
    return this.#own.some(({ uuid }) => key === MOUNT_KEYS + uuid)
  }

  /** Nobody lists what lies in these mounts and namespaces any more: a guard would be all that stays of them. */
  leave(domains: readonly string[]): void {
    for (const domain of domains) this.#left.add(domain)
  }

  async end(): Promise<void> {
    await this.flush()
    // Those of every store are in one commit with the ones they replace.
    for (const op of exchanged(this.#ofEveryStore, this.#own)) await this.take(op)
    await this.flush()
    for (const op of this.#mounts) await this.take(op)
    await this.flush()
  }

  /** Whatever it is, ahead of mounts that wait. */
  async take(op: SentOp): Promise<void> {
    this.#waiting.push(op)
    this.#bytes += op.value?.length ?? 0
    if (this.#waiting.length >= PER_COMMIT || this.#bytes >= MOST_BYTES) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    const ops: Op[] = []
    const guards = new Set<string>()
    for (const { key, value } of waiting) {
      ops.push(await opOf(this.#host, key, value))
      const folder = endOfFolder(key)
      if (folder > 0 && !this.#left.has(key.slice(key.indexOf('/') + 1, key.indexOf('/', key.indexOf('/') + 1))))
        guards.add(guardOf(key.slice(0, folder)))
      ops.push(...clearingOps(this.#host, value === undefined ? { key } : { key, value }))
    }
    for (const guard of guards) ops.push(guardOp(this.#host, guard))
    await committed(this.#host, [...ops, ...checksOf(this.#fences)], { upstream: undefined })
    this.done += waiting.length
    await this.#host.clock.sleep(0)
  }
}
