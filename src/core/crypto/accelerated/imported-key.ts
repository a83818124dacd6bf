import { awaitInSteps, SLICE_BYTES, type Steps } from '../../base/steps.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { PlatformKey } from './subtle.ts'

/**
 * A non-extractable WebCrypto key. It is imported at its first use and kept until it is dropped. If WebCrypto refuses or fails a call, the
 * result is undefined.
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

  /** @param unused If the caller abandons the steps, this function receives the result. */
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
      // Yield here, because WebCrypto copies its input, and many long copies in one turn would block the event loop.
      if (length > SLICE_BYTES) yield
      call = this.#call(work)
    } finally {
      if (!call) limit.leave()
    }
    return yield* awaitInSteps(call, unused)
  }

  /** Whether the key is imported. False if WebCrypto refuses the key, or if the key was dropped during the import. */
  async #importOnce(): Promise<boolean> {
    try {
      this.#importing ??= this.#import()
      const key = await this.#importing
      if (!this.#isDropped) this.#key = key
    } catch {}
    return this.#key !== undefined
  }

  /** Return the slot when the call ends, even if the caller has abandoned the steps. */
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
 * Copies short input, because the caller may change it while WebCrypto is running, and WebCrypto or noble may read it later. Long input
 * need not be copied, because it already belongs to the kernel.
 */
export const snapshot = (bytes: Uint8Array): Uint8Array => (bytes.length > SLICE_BYTES ? bytes : bytes.slice())

const wipe = (bytes: ArrayBuffer | undefined): void => {
  if (bytes) new Uint8Array(bytes).fill(0)
}
