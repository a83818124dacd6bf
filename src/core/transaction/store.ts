/**
 * The storage as the kernel uses it: values are decrypted, failures become KernelErrors, commits with an unknown outcome are repeated, and
 * invalid calls are refused before they reach the storage.
 */
import { UnknownTermError } from '../barrier/barrier.ts'
import { RECORD_OVERHEAD } from '../barrier/record.ts'
import type { RecordCipher } from '../barrier/record-cipher.ts'
import type { Clock } from '../base/clock.ts'
import type { Deadline } from '../base/deadline.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { Pace, SLICE_BYTES, type Steps } from '../base/steps.ts'
import { decodeRole, NOT_REPLICATED, ROLE_KEY } from '../log/role.ts'
import type { Change, Commit, Conflict, Entry, Op, Page, Storage } from '../storage/port.ts'
import { type CachedRole, type CommitOptions, Committer } from './committer.ts'
import { checkBound, isPossibleKey, isPossiblePrefix } from './keys.ts'
import { DEFAULT_STORAGE_TIMEOUT_MS, StorageGuard } from './storage-guard.ts'
import { unavailable } from './unavailable.ts'

export interface DecryptedRecord {
  readonly version: number
  /** The decrypted value. A reader of key material must wipe it. */
  readonly value: Uint8Array
}

const NOTHING = Object.freeze({ entry: undefined })

/** The maximum number of keys or names per storage call. */
const PAGE = 1000

/** The estimated cost of decrypting a record: a fixed part, and a part that depends on its size. */
const OPEN_MICROSECONDS = 10

const BYTES_PER_MICROSECOND = 25

export interface StoreParts {
  readonly storage: Storage
  readonly barrier: RecordCipher
  readonly clock: Clock
  readonly entropy: Entropy
  readonly deadline: Deadline
  /** The time limit for one storage call in milliseconds, retries included. */
  readonly timeoutMs?: number | undefined
}

export class Store {
  readonly storage: Storage
  readonly barrier: RecordCipher
  readonly commits: Committer
  /** Reloads the key ring after another process rotated it. @throws KernelError 503 if the key ring cannot be read. */
  reloadRing: () => Promise<void> = async () => {}
  readonly #clock: Clock
  readonly #entropy: Entropy
  /** The circuit breaker around storage calls. */
  readonly guard: StorageGuard

  constructor({ storage, barrier, clock, entropy, deadline, timeoutMs = DEFAULT_STORAGE_TIMEOUT_MS }: StoreParts) {
    this.storage = storage
    this.barrier = barrier
    this.#clock = clock
    this.#entropy = entropy
    this.guard = new StorageGuard({ storage, clock, deadline, timeoutMs })
    const readRole = () => this.#readRole()
    const backOff = (attempt: number) => this.backOff(attempt)
    const seal = (name: string, list: Uint8Array) => barrier.encode(name, list)
    this.commits = new Committer({ storage, clock, entropy, guard: this.guard, timeoutMs, readRole, backOff, seal })
  }

  /**
   * Reads a record synchronously. Returns undefined if the storage does not support synchronous reads, or if the key ring must be reloaded
   * first. A long value is returned as `long`, still encrypted, because decrypting it would block the event loop for too long.
   */
  getSync(key: string): { readonly entry: DecryptedRecord | undefined } | { readonly long: Entry } | undefined {
    if (!isPossibleKey(key)) return NOTHING
    if (!this.storage.getSync) return undefined
    try {
      const entry = this.storage.getSync(key)
      return entry && entry.value.length > SLICE_BYTES ? { long: entry } : { entry: this.#open(entry) }
    } catch (error) {
      if (error instanceof UnknownTermError) return undefined
      throw unavailable(error, this.storage)
    }
  }

  async getMany(keys: readonly string[]): Promise<readonly (DecryptedRecord | undefined)[]> {
    return this.decryptAll(await this.entries(keys))
  }

  /** Decrypts entries, with pauses for the event loop if there are many. */
  async decryptAll(entries: readonly (Entry | undefined)[]): Promise<readonly (DecryptedRecord | undefined)[]> {
    try {
      return await this.#openAll(entries)
    } catch (error) {
      if (!(error instanceof UnknownTermError)) throw error
    }
    // The barrier key of an unknown term may be new, so reload the key ring once.
    await this.reloadRing()
    return this.#openAll(entries)
  }

  /** Reads only versions, without decrypting values. The version of an absent key is 0. */
  async versions(keys: readonly string[]): Promise<readonly number[]> {
    const entries = await this.entries(keys)
    return entries.map((entry) => entry?.version ?? 0)
  }

  /** Returns the stored bytes of records that are stored in plaintext. */
  async storedValues(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const entries = await this.entries(keys)
    return entries.map((entry) => entry?.value)
  }

  /**
   * Returns entries as stored, with their versions. Many keys are requested in several calls, which may see the store at different times.
   */
  async entries(keys: readonly string[]): Promise<readonly (Entry | undefined)[]> {
    const possible = keys.filter(isPossibleKey)
    const found =
      possible.length <= PAGE ? await this.#call(() => this.storage.getMany(possible)) : await this.#entriesInPages(possible)
    if (possible.length === keys.length) return found
    let at = 0
    return keys.map((key) => (isPossibleKey(key) ? found[at++] : undefined))
  }

  async #entriesInPages(keys: readonly string[]): Promise<readonly (Entry | undefined)[]> {
    const entries: (Entry | undefined)[] = []
    for (let at = 0; at < keys.length; at += PAGE) {
      entries.push(...(await this.#call(() => this.storage.getMany(keys.slice(at, at + PAGE)))))
      await this.#clock.sleep(0)
    }
    return entries
  }

  /** Returns all entries below a prefix. Only the values of records that `wanted` accepts are decrypted; other entries have no value. */
  async scan(
    prefix: string,
    wanted: (key: string, version: number) => boolean,
  ): Promise<readonly { readonly key: string; readonly version: number; readonly value: Uint8Array | undefined }[]> {
    const entries = isPossiblePrefix(prefix) ? await this.#call(() => this.storage.scan(prefix)) : []
    const opened = await this.decryptAll(entries.map((entry) => (wanted(entry.key, entry.version) ? entry : undefined)))
    return entries.map(({ key, version }, index) => ({ key, version, value: opened[index]?.value }))
  }

  /** Returns one page of the entries below a prefix, as stored, in byte order. */
  async page(prefix: string, page: Page): Promise<readonly Entry[]> {
    if (!isPossiblePrefix(prefix)) return []
    checkBound('', page)
    return this.#call(() => this.storage.scan(prefix, page))
  }

  /**
   * Returns the names below a prefix in byte order, read in pages. If a name is added or removed between two pages, the result may or may
   * not contain it.
   */
  async list(prefix: string, options: Page & { readonly delimiter?: string } = {}): Promise<readonly string[]> {
    if (!isPossiblePrefix(prefix)) return []
    checkBound(prefix, options)
    const { limit = Number.POSITIVE_INFINITY, ...page } = options
    const names: string[] = []
    for (let { after } = page; names.length < limit; after = names.at(-1)) {
      const size = Math.min(PAGE, limit - names.length)
      const more = { ...page, ...(after === undefined ? {} : { after }), limit: size }
      const found = await this.#call(() => this.storage.list(prefix, more))
      names.push(...found)
      if (found.length < size || names.length >= limit) break
      await this.#clock.sleep(0)
    }
    return names
  }

  /** Requests the store's newest revision. */
  newestRevision(): Promise<number> {
    return this.#call(() => this.storage.revision(true))
  }

  /** Calls `onChange` for every commit after the revision `from`, until the returned function is called. */
  watch(from: number, onChange: (change: Change) => void): Promise<() => Promise<void>> {
    return this.#call(
      () => this.storage.watch('', from, onChange),
      (unwatch) => unwatch(),
    )
  }

  /** Encrypts the value and returns the put op. The ciphertext is bound to the storage key `key`. */
  encryptedPut(key: string, value: Uint8Array, expect: number | undefined): Op {
    const op = { op: 'put', key, value: this.barrier.encode(key, value) } as const
    return expect === undefined ? op : { ...op, expect }
  }

  /** Like {@link encryptedPut}, for a long value: pauses during the encryption, so that other work can run. */
  async encryptedLongPut(key: string, value: Uint8Array, expect: number | undefined): Promise<Op> {
    const op = { op: 'put', key, value: await this.drive(this.barrier.encodeSteps(key, value)) } as const
    return expect === undefined ? op : { ...op, expect }
  }

  /** Runs all steps of a generator. Yields to the event loop before the first step, between steps, and after the last step. */
  async drive<T>(steps: Steps<T>): Promise<T> {
    await this.#clock.sleep(0)
    for (;;) {
      const step = steps.next()
      await (step.done ? this.#clock.sleep(0) : (step.value ?? this.#clock.sleep(0)))
      if (step.done) return step.value
    }
  }

  /** @throws KernelError 413 for a value that is larger than this storage allows. */
  checkSize(bytes: number): void {
    const maxBytes = this.storage.caps.maxValueBytes - RECORD_OVERHEAD
    if (bytes > maxBytes)
      throw new KernelError('ERR_REQUEST_TOO_LARGE', `the value is too large: this storage allows ${maxBytes} bytes`)
  }

  /** See {@link Committer.commit}. */
  commit(ops: readonly Op[], options?: CommitOptions): Promise<Commit> {
    return this.commits.commit(ops, options)
  }

  /** See {@link Committer.join}. */
  join(ops: readonly Op[], transaction: unknown): Promise<Conflict | undefined> {
    return this.commits.join(ops, transaction)
  }

  /** Sleeps for a random time below 2^attempt milliseconds, at most 250. */
  async backOff(attempt: number): Promise<void> {
    const maxMs = Math.min(250, 2 ** attempt)
    await this.#clock.sleep(((this.#entropy.bytes(1)[0] as number) / 256) * maxMs)
  }

  async #readRole(): Promise<CachedRole> {
    const [entry] = await this.entries([ROLE_KEY])
    if (!entry) return { role: NOT_REPLICATED, version: 0 }
    const [opened] = await this.decryptAll([entry])
    return { role: decodeRole((opened as DecryptedRecord).value), version: entry.version }
  }

  #open(entry: Entry | undefined): DecryptedRecord | undefined {
    return entry && { version: entry.version, value: this.barrier.decode(entry.key, entry.value) }
  }

  async #openAll(entries: readonly (Entry | undefined)[]): Promise<readonly (DecryptedRecord | undefined)[]> {
    const pace = new Pace()
    const opened: (DecryptedRecord | undefined)[] = []
    for (const entry of entries) {
      if (entry && entry.value.length > SLICE_BYTES) {
        const value = await this.drive(this.barrier.decodeSteps(entry.key, entry.value))
        opened.push({ version: entry.version, value })
        continue
      }
      opened.push(this.#open(entry))
      if (entry && pace.spend(OPEN_MICROSECONDS + entry.value.length / BYTES_PER_MICROSECOND)) await this.#clock.sleep(0)
    }
    return opened
  }

  /**
   * @param late Receives the result of the call if the result arrives after the kernel was closed, when no caller waits for it any more.
   */
  async #call<T>(call: () => Promise<T>, late?: (answer: T) => unknown): Promise<T> {
    try {
      return await this.guard.run(call, late)
    } catch (error) {
      throw unavailable(error, this.storage)
    }
  }
}
