/**
 * How often something was done, kept durable without a write each time: blocks are reserved ahead, in commits of their own, and what is
 * stored is never lower than what was done.
 *
 * The first block is awaited, the next is begun by the use that crosses half of the one before, and blocks double: whoever does a thing
 * often writes seldom, whoever does it seldom loses little in a crash. What is left is given back when the kernel closes.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { Counter, CounterKind } from '../contract/counter.ts'
import { splitFormat, withFormat } from '../contract/record-kind.ts'
import type { RecordCache } from './cache.ts'
import type { Place } from './place.ts'
import type { Store } from './store.ts'

/** Where counters are found again, and their reservations waited for. */
export interface CounterHome {
  readonly host: { readonly store: Store; readonly cache: RecordCache }
  keep(counter: StoredCounter): void
  track(work: Promise<unknown>): void
}

export const FIRST_BLOCK = 2 ** 10

const LARGEST_BLOCK = 2 ** 20

const MOST_TRIES = 100

/** The id of a counter's record. Without a slash between the two, so that nobody takes it for a key version. */
export const counterId = (owner: string, version: number): string => `${owner}.${version}`

export class StoredCounter implements Counter {
  /** Of the counter's record, and of the key version it counts for. */
  readonly key: string
  readonly parent: string
  readonly kind: CounterKind
  readonly #home: CounterHome
  readonly #place: Place
  #reserved = 0
  #left = 0
  #block = FIRST_BLOCK
  /** Below this many left, the next block is due. */
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

  /** Counts one use; false when none is left in hand and {@link ensure} has to be awaited. */
  take(): boolean {
    if (this.#left === 0) return false
    if (--this.#left < this.#refillBelow) this.#refill()
    return true
  }

  /** What was taken and not used. */
  putBack(n: number): void {
    this.#left += n
  }

  get left(): number {
    return this.#left
  }

  /** Uses so far, as far as this process knows: never too low, too high by what other processes have in hand. */
  get used(): number {
    return this.#reserved - this.#left
  }

  get near(): boolean {
    return this.#reserved - this.#left >= this.kind.warnFrom
  }

  /** The limit is reached. */
  get spent(): boolean {
    return this.#spent && this.#left === 0
  }

  refusal(): KernelError {
    return invalid(this.kind.spent)
  }

  /** What is shown, given what is stored: never lower than what was done. */
  usedOf(stored: number): number {
    return Math.max(stored, this.#reserved) - this.#left
  }

  /** A reservation is under way: until it is done, it looks as if all of it were used. */
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

  /** A block that was stored together with the key it is for, or reserved. */
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

  /** Takes everything out of hand, to give it back. */
  empty(): number {
    const left = this.#left
    this.#left = 0
    this.#refillBelow = 0
    return left
  }

  /** In the background: whoever uses up what is left meanwhile waits for it, and learns then why it failed. */
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
