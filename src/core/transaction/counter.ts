/**
 * Durable counters without a write for each use: blocks are reserved ahead, in separate commits, so the stored count is never lower
 * than the true one.
 *
 * The first block is awaited; the use that crosses half of a block begins the reservation of the next. Block sizes double: frequent use
 * writes seldom, and rare use loses little in a crash. The rest is given back when the kernel closes.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { Counter, CounterKind } from '../contract/counter.ts'
import { splitFormat, withFormat } from '../contract/record-kind.ts'
import type { RecordCache } from './cache.ts'
import type { Place } from './place.ts'
import type { Store } from './store.ts'

/** Finds counters again and waits for their reservations. */
export interface CounterHome {
  readonly host: { readonly store: Store; readonly cache: RecordCache }
  keep(counter: StoredCounter): void
  track(work: Promise<unknown>): void
}

export const FIRST_BLOCK = 2 ** 10

const LARGEST_BLOCK = 2 ** 20

const MOST_TRIES = 100

/** The id of a counter's record. It has no slash between its parts, so that nobody takes it for a key version. */
export const counterId = (owner: string, version: number): string => `${owner}.${version}`

export class StoredCounter implements Counter {
  /** The physical keys of the counter's record and of the key version that it counts for. */
  readonly key: string
  readonly parent: string
  readonly kind: CounterKind
  readonly #home: CounterHome
  readonly #place: Place
  #reserved = 0
  #left = 0
  #block = FIRST_BLOCK
  /** The next block is due when fewer uses than this are left. */
  #refillBelow = 0
  #spent = false
  #running: Promise<void> | undefined

  constructor(home: CounterHome, place: Place, kind: CounterKind, owner: string, version: number) {
    this.#home = home
    this.#place = place
    this.kind = kind
    this.key = place.prefix(kind.record) + counterId(owner, version)
    this.parent = `${place.prefix(kind.of)}${owner}/${version}`
  }

  /** Counts one use; false when none is left in hand and the caller has to await {@link ensure}. */
  take(): boolean {
    if (this.#left === 0) return false
    if (--this.#left < this.#refillBelow) this.#refill()
    return true
  }

  /** Returns uses that were taken and not used. */
  putBack(n: number): void {
    this.#left += n
  }

  get left(): number {
    return this.#left
  }

  /** Uses so far, as this process knows them: never too low, too high by what other processes have reserved. */
  get used(): number {
    return this.#reserved - this.#left
  }

  get near(): boolean {
    return this.#reserved - this.#left >= this.kind.warnFrom
  }

  /** Whether the limit is reached. */
  get spent(): boolean {
    return this.#spent && this.#left === 0
  }

  refusal(): KernelError {
    return invalid(this.kind.spent)
  }

  /** The count to show for a stored one: never lower than the true one. */
  usedOf(stored: number): number {
    return Math.max(stored, this.#reserved) - this.#left
  }

  /** Whether a reservation is under way: until it ends, all of it looks used. */
  get busy(): boolean {
    return this.#running !== undefined
  }

  async idle(): Promise<void> {
    await this.#running?.catch(() => {})
  }

  /** Resolves when `n` uses are in hand or the limit is reached. @throws KernelError when nothing can be reserved */
  async ensure(n: number): Promise<void> {
    while (this.#left < n && !this.#spent) {
      this.#running ??= this.#reserve(n - this.#left).finally(() => {
        this.#running = undefined
      })
      await this.#running
    }
  }

  /** Adds a block that was reserved, or stored together with its key. */
  grant(n: number, reserved: number): void {
    this.#left += n
    this.#reserved = Math.max(this.#reserved, reserved)
    this.#refillBelow = Math.floor(n / 2)
    this.#block = Math.min(LARGEST_BLOCK, Math.max(this.#block, n) * 2)
    this.#home.keep(this)
  }

  encode(count: number): Uint8Array {
    return withFormat(this.kind.record.format, this.kind.record.encode({ count }))
  }

  decode(stored: Uint8Array): number {
    const [format, bytes] = splitFormat(this.kind.record, stored)
    return this.kind.record.decode(bytes, format).count
  }

  /** Takes all uses out of hand, to give them back. */
  empty(): number {
    const left = this.#left
    this.#left = 0
    this.#refillBelow = 0
    return left
  }

  /** Reserves in the background: a caller that uses up the rest meanwhile waits for it and learns why it failed. */
  #refill(): void {
    this.#refillBelow = 0
    this.#running ??= this.#reserve(0).finally(() => {
      this.#running = undefined
    })
    const again = () => {
      this.#refillBelow = Math.floor(this.#left / 2)
    }
    this.#home.track(this.#running.catch(again))
  }

  async #reserve(least: number): Promise<void> {
    const { store, cache } = this.#home.host
    for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
      const [[record], [parent = 0]] = await Promise.all([store.getMany([this.key]), store.versions([this.parent])])
      if (parent === 0) throw invalid('key_version: no such key version')
      const count = record ? this.decode(record.value) : 0
      const n = Math.min(Math.max(this.#block, least), this.kind.limit - count)
      if (n <= 0) {
        this.#reserved = Math.max(this.#reserved, count)
        this.#spent = true
        return
      }
      const verdict = await store.commit([
        store.sealed(this.key, this.encode(count + n), record?.version ?? 0),
        { op: 'check', key: this.parent, expect: parent },
        ...this.#place.fences.map(({ key, version }) => ({ op: 'check', key, expect: version }) as const),
      ])
      if (verdict.ok) {
        cache.apply({ revision: verdict.revision, keys: [this.key] })
        return this.grant(n, count + n)
      }
      await this.#place.moved()
      await store.backOff(Math.min(attempt, 6))
    }
    throw new KernelError('ERR_UNAVAILABLE', `gave up after ${MOST_TRIES} conflicts over the count of a key's uses`)
  }
}
