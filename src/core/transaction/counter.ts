/**
 * Durable counters without a write for each use: blocks are reserved ahead, in separate commits, so the stored count is never lower
 * than the true one.
 *
 * The first block is awaited; the use that crosses half of a block begins the reservation of the next. Block sizes double: frequent use
 * writes seldom, and rare use loses little in a crash. The rest is given back when the kernel closes.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { Counter, CounterKind, Reserved } from '../contract/counter.ts'
import { decodeRecord, withFormat } from '../contract/record-kind.ts'
import type { RecordCache } from './cache.ts'
import type { Place } from './place.ts'
import { LARGEST_BLOCK, reserveBlock } from './reserve-block.ts'
import type { Store } from './store.ts'

/** Finds counters again and waits for their reservations. */
export interface CounterHome {
  readonly host: { readonly store: Store; readonly cache: RecordCache }
  keep(counter: StoredCounter): void
  track(work: Promise<unknown>): void
}

export const FIRST_BLOCK = 2 ** 10

const MOST_TRIES = 100

/** The id of a counter's record. It has no slash between its parts, so that nobody takes it for a key version. */
export const counterId = (owner: string, version: number): string => `${owner}.${version}`

/** The key of the version that a counter is about. */
export const countedKey = (place: Place, kind: CounterKind, owner: string, version: number): string =>
  `${place.prefix(kind.of)}${owner}/${version}`

export class StoredCounter implements Counter {
  /** The physical keys of the counter's record and of the key version that it counts for. */
  readonly key: string
  readonly parent: string
  readonly kind: CounterKind
  readonly #home: CounterHome
  readonly #place: Place
  #reserved = 0
  #left = 0
  /** Uses of other clusters, as of the last reservation. */
  #elsewhere = 0
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
    this.parent = countedKey(place, kind, owner, version)
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
    return this.#reserved - this.#left + this.#elsewhere >= this.kind.warnFrom
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

  /** @param gaps Those that the count allows for. */
  encode(count: number, gaps = this.#home.host.store.commits.role.gaps ?? 0): Uint8Array {
    return withFormat(this.kind.record.format, this.kind.record.encode(gaps > 0 ? { count, gaps } : { count }))
  }

  decode(stored: Uint8Array): Reserved {
    return decodeRecord(this.kind.record, stored)
  }

  /** The record without uses that were reserved and not made. */
  lowered(stored: Uint8Array, by: number): Uint8Array {
    const { count, gaps } = this.decode(stored)
    return this.encode(count - by, gaps ?? 0)
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
      const block = await reserveBlock(store, this, { least, size: this.#block, fences: this.#place.fences })
      if (block) {
        const { n, count, elsewhere, revision } = block
        this.#elsewhere = elsewhere
        this.#reserved = Math.max(this.#reserved, count)
        this.#spent = n === 0
        if (n === 0) return
        cache.apply({ revision, keys: [this.key] })
        return this.grant(n, count)
      }
      await this.#place.moved()
      await store.backOff(Math.min(attempt, 6))
    }
    throw new KernelError('ERR_UNAVAILABLE', `gave up after ${MOST_TRIES} conflicts over the count of a key's uses`)
  }
}
