/**
 * Durable counters without a write per use. Blocks of uses are reserved in separate commits before they are used, so the stored count is
 * never lower than the true one.
 *
 * The first reservation is awaited. When half of a block is used up, the next block is reserved in the background. Block sizes double: a
 * key that is used often causes few writes, and a key that is used rarely loses few uses in a crash. Unused reservations are returned when
 * the kernel closes.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { Counter, CounterKind, Reserved } from '../contract/counter.ts'
import { decodeRecord, withFormat } from '../contract/record-kind.ts'
import type { RecordCache } from './cache.ts'
import type { Keyspace } from './keyspace.ts'
import type { Reservations } from './reservations.ts'
import { MAX_BLOCK_USES } from './reserve-blocks.ts'
import type { Store } from './store.ts'

/** Keeps the counters of a kernel and waits for their reservations. */
export interface CounterRegistry {
  readonly host: { readonly store: Store; readonly cache: RecordCache }
  readonly reservations: Reservations
  keep(counter: StoredCounter): void
  track(work: Promise<unknown>): void
}

export const FIRST_BLOCK_USES = 2 ** 10

const MAX_TRIES = 100

/**
 * The id of a counter's record. A dot separates owner and version, so that the id differs from the id of a key version, which contains a
 * slash.
 */
export const counterId = (owner: string, version: number): string => `${owner}.${version}`

/** The storage key of the key version whose uses are counted. */
export const countedKey = (keyspace: Keyspace, kind: CounterKind, owner: string, version: number): string =>
  `${keyspace.prefix(kind.of)}${owner}/${version}`

export class StoredCounter implements Counter {
  /** `key` is the storage key of the counter's record. `parent` is the storage key of the key version whose uses are counted. */
  readonly key: string
  readonly parent: string
  readonly kind: CounterKind
  readonly #registry: CounterRegistry
  readonly #keyspace: Keyspace
  #reserved = 0
  #left = 0
  /** The number of uses by other clusters, as read at the last reservation. */
  #usesByOthers = 0
  #block = FIRST_BLOCK_USES
  /** When fewer uses than this remain, the next block is reserved. */
  #refillBelow = 0
  #spent = false
  #running: Promise<void> | undefined

  constructor(registry: CounterRegistry, keyspace: Keyspace, kind: CounterKind, owner: string, version: number) {
    this.#registry = registry
    this.#keyspace = keyspace
    this.kind = kind
    this.key = keyspace.prefix(kind.record) + counterId(owner, version)
    this.parent = countedKey(keyspace, kind, owner, version)
  }

  /** Counts one use. Returns false if no reserved use is left; the caller must then await {@link ensure}. */
  take(): boolean {
    if (this.#left === 0) return false
    if (--this.#left < this.#refillBelow) this.#refill()
    return true
  }

  /** Returns uses that were taken, but for which no operation was done. */
  putBack(n: number): void {
    this.#left += n
  }

  get left(): number {
    return this.#left
  }

  /**
   * The number of uses that this process knows of. It is never lower than the true number. It can be too high, because it includes
   * reservations that other processes have not used.
   */
  get used(): number {
    return this.#reserved - this.#left
  }

  get near(): boolean {
    return this.used + this.#usesByOthers >= this.kind.warnFrom
  }

  /** Whether the limit is reached and no reserved use is left. */
  get spent(): boolean {
    return this.#spent && this.#left === 0
  }

  limitError(): KernelError {
    return invalid(this.kind.spent)
  }

  /** Returns the number of uses to report for a key whose stored count is `stored`. It is never lower than the true number. */
  usedOf(stored: number): number {
    return Math.max(stored, this.#reserved) - this.#left
  }

  /** Whether a reservation is in progress. Until the reservation ends, the whole block counts as used. */
  get busy(): boolean {
    return this.#running !== undefined
  }

  async idle(): Promise<void> {
    await this.#running?.catch(() => {})
  }

  /** Resolves when `n` reserved uses are available or the limit is reached. @throws KernelError if nothing can be reserved. */
  async ensure(n: number): Promise<void> {
    while (this.#left < n && !this.#spent) {
      this.#running ??= this.#reserve(n - this.#left).finally(() => {
        this.#running = undefined
      })
      await this.#running
    }
  }

  /** Adds a block that was reserved, or a block that was stored together with a new key. */
  grant(n: number, reserved: number): void {
    this.#left += n
    this.#reserved = Math.max(this.#reserved, reserved)
    this.#refillBelow = Math.floor(n / 2)
    this.#block = Math.min(MAX_BLOCK_USES, Math.max(this.#block, n) * 2)
    this.#registry.keep(this)
  }

  /**
   * Encodes the record of the counter. @param gaps The number of gaps that `count` already takes into account.
   * Default: the current number of gaps in the role record.
   */
  encode(count: number, gaps = this.#registry.host.store.commits.role.gaps ?? 0): Uint8Array {
    return withFormat(this.kind.record.format, this.kind.record.encode(gaps > 0 ? { count, gaps } : { count }))
  }

  decode(stored: Uint8Array): Reserved {
    return decodeRecord(this.kind.record, stored)
  }

  /** Returns the encoded record after subtracting `by` unused reservations. */
  lowered(stored: Uint8Array, by: number): Uint8Array {
    const { count, gaps } = this.decode(stored)
    return this.encode(count - by, gaps ?? 0)
  }

  /** Removes all unused reservations and returns their number, so that the caller can subtract it from the stored count. */
  empty(): number {
    const left = this.#left
    this.#left = 0
    this.#refillBelow = 0
    return left
  }

  /** Reserves in the background. A caller that needs a use when none is left waits for this reservation, and gets its error. */
  #refill(): void {
    this.#refillBelow = 0
    this.#running ??= this.#reserve(0).finally(() => {
      this.#running = undefined
    })
    const retry = () => {
      this.#refillBelow = Math.floor(this.#left / 2)
    }
    this.#registry.track(this.#running.catch(retry))
  }

  async #reserve(minUses: number): Promise<void> {
    const { reservations, host } = this.#registry
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const request = { counter: this, size: Math.max(this.#block, minUses) }
      const block = await reservations.reserve(this.#keyspace, request, attempt > 1)
      if (block) {
        const { n, count, usesByOthers, revision } = block
        this.#usesByOthers = usesByOthers
        this.#reserved = Math.max(this.#reserved, count)
        this.#spent = n === 0
        if (n === 0) return
        host.cache.apply({ revision, keys: [this.key] })
        return this.grant(n, count)
      }
      await this.#keyspace.revalidate()
      await host.store.backOff(Math.min(attempt, 6))
    }
    throw new KernelError('ERR_UNAVAILABLE', `gave up after ${MAX_TRIES} conflicts while reserving uses of the key; retry later`)
  }
}
