/**
 * Loads records and keys for one request, and keeps them across its runs.
 */
import { CodeNotLoadedError } from '../base/deferred-code.ts'
import { Pace, SLICE_BYTES, type Steps } from '../base/steps.ts'
import { type SecretKind, splitFormat } from '../contract/record-kind.ts'
import { isSignal, NEEDS_LOAD } from '../contract/signals.ts'
import type { ListOptions, MemoScope } from '../contract/tx.ts'
import type { Wipeable } from '../crypto/backend.ts'
import { PinnedKey } from '../crypto/key-cache.ts'
import type { Entry } from '../storage/port.ts'
import { type CachedRecord, NOTHING_REPORTED, type PendingAccess, type RecordTable } from './cache.ts'
import type { Host } from './host.ts'
import { loadCodeForRerun } from './load-code.ts'
import { type MemoizedValue, MemoizedValues, resultOf } from './memoized-values.ts'
import type { DecryptedRecord } from './store.ts'

type LoadedRecord = { readonly version: number; readonly value: unknown } | undefined

/**
 * Processes a loaded record. `access` has the newest revision at which the record's key was reported as changed since the load began. The
 * function returns a promise if decoding the value takes long.
 */
type OnLoaded = (record: DecryptedRecord | undefined, access: PendingAccess) => void | Promise<void>

interface PendingRead {
  readonly onLoaded: OnLoaded
  /** A long value that was read but not decrypted yet. */
  readonly found?: Entry
}

/**
 * The maximum number of records that a run loads without a pause if the storage answers synchronously. Further records are loaded
 * asynchronously, so that the event loop can do other work.
 */
const MAX_SYNC_LOADS = 256

/**
 * The maximum number of computations whose first piece runs inside a run of the transaction. Further computations run after the run, with
 * pauses, because the first pieces of many computations take too long together.
 */
const MAX_SYNC_PIECES = 4

/** The estimated cost of decoding a record. */
const DECODE_MICROSECONDS = 10

export class Loader {
  readonly #host: Host
  readonly #records = new Map<string, LoadedRecord>()
  readonly #versions = new Map<string, number>()
  readonly #lists = new Map<string, readonly string[]>()
  readonly #pins = new Map<string, PinnedKey<Wipeable> | undefined>()
  readonly #memoized = new MemoizedValues()
  readonly #wipe = new Set<Uint8Array>()
  #pendingReads = new Map<string, PendingRead>()
  #pendingWork: (() => Promise<void>)[] = []
  #uncachedPins: PinnedKey<Wipeable>[] = []
  #loadsLeft = MAX_SYNC_LOADS
  #piecesLeft = MAX_SYNC_PIECES

  constructor(host: Host) {
    this.#host = host
  }

  /**
   * @param writes Whether the run will make a commit, which then requires that the records still have the versions that the run has read.
   */
  record<T>(table: RecordTable<T>, id: string, key: string, writes: boolean): CachedRecord<T> | undefined {
    if (this.#records.has(key)) return this.#records.get(key) as CachedRecord<T> | undefined
    const cached = table.entries.get(id)
    if (cached) {
      cached.used = true
      table.hits++
      this.#records.set(key, cached)
      return cached
    }
    if (writes && table.absent.has(id)) {
      this.#records.set(key, undefined)
      return undefined
    }
    this.#requestRead(key, (record, access) => {
      table.misses++
      if (!record) {
        this.#records.set(key, undefined)
        if (writes) this.#host.cache.putAbsent(table, id, access)
        return
      }
      const [format, bytes] = splitFormat(table.kind, record.value)
      const keep = (value: T): void => {
        this.#records.set(key, { version: record.version, value })
        this.#host.cache.put(table, id, record.version, value, access)
      }
      if (table.kind.decodeSteps && bytes.length > SLICE_BYTES)
        return this.#host.store.drive(table.kind.decodeSteps(bytes)).then(keep)
      return keep(table.kind.decode(bytes, format))
    })
    return this.#records.get(key) as CachedRecord<T> | undefined
  }

  /** The version of the record with this storage key, for callers that do not need its value. */
  version(key: string): number {
    const known = this.#versions.get(key)
    if (known !== undefined) return known
    this.#requestRead(key, (record) => void this.#versions.set(key, record?.version ?? 0))
    return this.#versions.get(key) as number
  }

  list(prefix: string, options: ListOptions): readonly string[] {
    const { after, limit, delimiter } = options
    const name = JSON.stringify([prefix, after, limit, delimiter])
    const known = this.#lists.get(name)
    if (known) return known
    this.#pendingWork.push(async () => {
      this.#lists.set(name, await this.#host.store.list(prefix, pageOf(after, limit, delimiter)))
    })
    throw NEEDS_LOAD
  }

  secret<K extends Wipeable>(
    kind: SecretKind,
    owner: string,
    version: number,
    key: string,
    build: (bytes: Uint8Array) => K,
  ): K | undefined {
    if (this.#pins.has(key)) return this.#pins.get(key)?.value as K | undefined
    const cached = this.#host.keys.get(owner, version)
    if (cached) {
      this.#pins.set(key, cached.pin())
      return cached.value as K
    }
    const { generation } = this.#host.keys
    this.#requestRead(key, (record) => {
      if (!record) return void this.#pins.set(key, undefined)
      try {
        const built = build(splitFormat(kind, record.value)[1])
        this.#pins.set(key, this.#host.keys.add(owner, version, built, generation))
      } finally {
        record.value.fill(0)
      }
    })
    return this.#pins.get(key)?.value as K | undefined
  }

  once<T>(name: string, make: () => Promise<T>, scope: MemoScope): T {
    const memoized = this.#memoized.find(name, scope)
    if (memoized) return resultOf<T>(memoized)
    this.#pendingWork.push(async () => {
      try {
        this.#memoize(name, { value: await make() })
      } catch (error) {
        // A signal is not a result: it means that `make` must be called again when the missing records or code have been loaded.
        if (error instanceof CodeNotLoadedError) await loadCodeForRerun(this.#host.clock, error)
        else if (error !== NEEDS_LOAD) this.#memoize(name, { error })
      }
    })
    throw NEEDS_LOAD
  }

  /**
   * Does the same as {@link once}, for a computation that yields to the event loop. The first piece runs at once, so a computation that never
   * yields does not end the run.
   */
  steps<T>(name: string, make: () => Steps<T>, scope: MemoScope): T {
    const memoized = this.#memoized.find(name, scope)
    if (memoized) return resultOf<T>(memoized)
    if (this.#piecesLeft-- <= 0) return this.once(name, () => this.#drive(make()), scope)
    const steps = make()
    try {
      const first = steps.next()
      if (!first.done) return this.once(name, () => this.#drive(steps, first), scope)
      this.#memoize(name, { value: first.value })
      return first.value
    } catch (error) {
      if (!isSignal(error)) this.#memoize(name, { error })
      throw error
    }
  }

  #memoize(name: string, memoized: MemoizedValue): void {
    if (memoized.value instanceof Uint8Array) this.wipeLater(memoized.value)
    this.#memoized.set(name, memoized)
  }

  async #drive<T>(steps: Steps<T>, first = steps.next()): Promise<T> {
    for (let step = first; ; step = steps.next()) {
      if (step.done) return step.value
      if (step.value) await step.value
      else if (this.#pendingReads.size > 0 || this.#pendingWork.length > 0) await this.load()
      else await this.#host.clock.sleep(0)
    }
  }

  /** Ends this run of the transaction. The transaction runs again when `work` has finished. */
  wait(work: () => Promise<void>): never {
    this.#pendingWork.push(work)
    throw NEEDS_LOAD
  }

  /** Pins a key that is not in the key cache yet, until the request ends. */
  pinUncached(value: Wipeable): PinnedKey<Wipeable> {
    const pinned = new PinnedKey(value).pin()
    this.#uncachedPins.push(pinned)
    return pinned
  }

  wipeLater(bytes: Uint8Array): void {
    this.#wipe.add(bytes)
  }

  /** Loads the records and completes the work that runs have requested since the last call of this method. */
  async load(): Promise<void> {
    // The synchronous loads also took time, so pause before loading more.
    if (this.#loadsLeft <= 0) await this.#host.clock.sleep(0)
    this.#loadsLeft = MAX_SYNC_LOADS
    this.#piecesLeft = MAX_SYNC_PIECES
    const reads = [...this.#pendingReads]
    const work = this.#pendingWork
    this.#pendingReads = new Map()
    this.#pendingWork = []
    const { cache, clock } = this.#host
    const accesses = reads.map(([key]) => cache.beginAccess(key))
    const pace = new Pace()
    try {
      const records = await this.#open(reads)
      for (const [index, [, { onLoaded }]] of reads.entries()) {
        const pending = onLoaded(records[index], accesses[index] as PendingAccess)
        if (pending) await pending
        else if (pace.spend(DECODE_MICROSECONDS)) await clock.sleep(0)
      }
      await Promise.all(work.map((wait) => wait()))
    } finally {
      reads.forEach(([key], index) => {
        cache.endAccess(key, accesses[index] as PendingAccess)
      })
    }
  }

  /** Decrypts long values that were already read. Reads and decrypts all other records. */
  async #open(reads: readonly (readonly [string, PendingRead])[]): Promise<readonly (DecryptedRecord | undefined)[]> {
    if (reads.length === 0) return []
    const { store } = this.#host
    const missing = reads.filter(([, { found }]) => !found).map(([key]) => key)
    const entries = missing.length > 0 ? await store.entries(missing) : []
    let next = 0
    return store.decryptAll(reads.map(([, { found }]) => found ?? entries[next++]))
  }

  /**
   * Called after a conflict. Discards everything that must be read again: all but pinned keys and values that are memoized for the whole
   * request.
   */
  refresh(): void {
    this.#records.clear()
    this.#versions.clear()
    this.#lists.clear()
    this.#memoized.refresh()
    for (const [key, pin] of this.#pins) if (!pin) this.#pins.delete(key)
  }

  end(): void {
    for (const pin of this.#pins.values()) pin?.unpin()
    for (const pin of this.#uncachedPins) pin.unpin()
    for (const bytes of this.#wipe) bytes.fill(0)
    this.#pins.clear()
    this.#uncachedPins = []
    this.#wipe.clear()
  }

  /** Processes the record immediately if the storage answers synchronously. Otherwise requests the record and ends the run. */
  #requestRead(key: string, onLoaded: OnLoaded): void {
    const now = this.#loadsLeft-- > 0 ? this.#host.store.getSync(key) : undefined
    if (now && 'entry' in now) void onLoaded(now.entry, NOTHING_REPORTED)
    else {
      this.#pendingReads.set(key, now ? { onLoaded, found: now.long } : { onLoaded })
      throw NEEDS_LOAD
    }
  }
}

type ListPage = { readonly after?: string; readonly limit?: number; readonly delimiter?: string }

/** Omits members that are undefined, because a storage need not accept such members. */
const pageOf = (after: string | undefined, limit: number | undefined, delimiter: string | undefined): ListPage => ({
  ...(after === undefined ? {} : { after }),
  ...(limit === undefined ? {} : { limit }),
  ...(delimiter === undefined ? {} : { delimiter }),
})
