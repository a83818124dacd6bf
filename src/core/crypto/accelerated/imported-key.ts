import { awaitInSteps, SLICE_BYTES, type Steps } from '../../base/steps.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { PlatformKey } from './subtle.ts'

/**
 * A non-extractable WebCrypto key. It is imported when it is first used and kept until `drop` is called. If WebCrypto refuses or fails a
 * call, the result of the call is undefined.
 */
export class ImportedKey {
  readonly #import: () => Promise<PlatformKey>
  readonly #limit: ConcurrencyLimit
  #importing: Promise<PlatformKey> | undefined
  #key: PlatformKey | undefined
  #isDropped = false

  /** @param importKey Imports the key. Called at most once. */
  constructor(importKey: () => Promise<PlatformKey>, limit: ConcurrencyLimit) {
    this.#import = importKey
    this.#limit = limit
  }

  /**
   * Makes a call to WebCrypto that returns bytes.
   * @param length The length of the input in bytes.
   * @throws TypeError if the key is dropped during the call. The result is then wiped.
   */
  *bytes(work: (key: PlatformKey) => Promise<ArrayBuffer>, length: number): Steps<Uint8Array | undefined> {
    const made = yield* this.#limited(work, length, wipe)
    const bytes = made && new Uint8Array(made)
    if (!this.#isDropped) return bytes
    bytes?.fill(0)
    throw keyWipedError()
  }

  /** Makes a call to WebCrypto that returns a boolean. */
  verdict(work: (key: PlatformKey) => Promise<boolean>, length: number): Steps<boolean | undefined> {
    return this.#limited(work, length)
  }

  drop(): void {
    this.#isDropped = true
    this.#importing = undefined
    this.#key = undefined
  }

  /** @param unused Receives the result if the caller stops running the generator before the generator has returned the result. */
  *#limited<T>(
    work: (key: PlatformKey) => Promise<T>,
    length: number,
    unused?: (late: T | undefined) => void,
  ): Steps<T | undefined> {
    if (this.#isDropped) throw keyWipedError()
    if (!this.#key && !(yield* awaitInSteps(this.#importOnce()))) return undefined
    const limit = this.#limit
    const slot = limit.enter()
    if (slot) yield* awaitInSteps(slot, () => limit.leave())
    let call: Promise<T | undefined> | undefined
    try {
      // Yield before a long call, because WebCrypto copies its input, and copying many long inputs in one turn would block the event loop.
      if (length > SLICE_BYTES) yield
      call = this.#call(work)
    } finally {
      if (!call) limit.leave()
    }
    return yield* awaitInSteps(call, unused)
  }

  /**
   * Imports the key unless that was done before. Returns false if WebCrypto refuses the key, or if the key was dropped during the import.
   */
  async #importOnce(): Promise<boolean> {
    try {
      this.#importing ??= this.#import()
      const key = await this.#importing
      if (!this.#isDropped) this.#key = key
    } catch {}
    return this.#key !== undefined
  }

  /**
   * Makes the call. When the call ends, gives the slot back to the concurrency limit, even if the caller has stopped waiting for the call.
   */
  async #call<T>(work: (key: PlatformKey) => Promise<T>): Promise<T | undefined> {
    try {
      return this.#key && (await work(this.#key))
    } catch {
      return undefined
    } finally {
      this.#limit.leave()
    }
  }
}

/**
 * Copies short input, because its owner may change it before WebCrypto reads it, or before noble reads it after a failure of WebCrypto.
 * Long input need not be copied, because it belongs to the kernel.
 */
export const snapshot = (bytes: Uint8Array): Uint8Array => (bytes.length > SLICE_BYTES ? bytes : bytes.slice())

const wipe = (bytes: ArrayBuffer | undefined): void => {
  if (bytes) new Uint8Array(bytes).fill(0)
}
