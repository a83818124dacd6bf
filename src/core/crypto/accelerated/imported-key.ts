/**
 * A key in the platform's hands, which does not give its bytes back.
 */
import { awaited, SLICE_BYTES, type Steps } from '../../base/steps.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { PlatformKey } from './subtle.ts'

/** Imported when it is first needed, and kept until it is dropped. What the platform refuses or fails at comes to undefined. */
export class ImportedKey {
  readonly #import: () => Promise<PlatformKey>
  readonly #lane: ConcurrencyLimit
  #importing: Promise<PlatformKey> | undefined
  #key: PlatformKey | undefined
  #isDropped = false

  /** @param imports Called at most once. */
  constructor(imports: () => Promise<PlatformKey>, lane: ConcurrencyLimit) {
    this.#import = imports
    this.#lane = lane
  }

  /**
   * Bytes of the platform.
   * @param length Of what it is given.
   * @throws TypeError when the key is dropped meanwhile; the bytes are wiped then.
   */
  *bytes(work: (key: PlatformKey) => Promise<ArrayBuffer>, length: number): Steps<Uint8Array | undefined> {
    const made = yield* this.#inLane(work, length, wipe)
    const bytes = made && new Uint8Array(made)
    if (!this.#isDropped) return bytes
    bytes?.fill(0)
    throw keyWipedError()
  }

  /** {@link bytes} for a yes or a no. */
  verdict(work: (key: PlatformKey) => Promise<boolean>, length: number): Steps<boolean | undefined> {
    return this.#inLane(work, length)
  }

  drop(): void {
    this.#isDropped = true
    this.#importing = undefined
    this.#key = undefined
  }

  /** @param unused Gets what comes when the steps were given up. */
  *#inLane<T>(
    work: (key: PlatformKey) => Promise<T>,
    length: number,
    unused?: (late: T | undefined) => void,
  ): Steps<T | undefined> {
    if (this.#isDropped) throw keyWipedError()
    if (!this.#key && !(yield* awaited(this.#imported()))) return undefined
    const lane = this.#lane
    const place = lane.enter()
    if (place) yield* awaited(place, () => lane.leave())
    let asked: Promise<T | undefined> | undefined
    try {
      // The platform copies what it is given: of much that begins in one turn of the event loop that would be a stall.
      if (length > SLICE_BYTES) yield
      asked = this.#ask(work)
    } finally {
      if (!asked) lane.leave()
    }
    return yield* awaited(asked, unused)
  }

  /** False where the platform refuses the key, or it was dropped meanwhile. */
  async #imported(): Promise<boolean> {
    try {
      this.#importing ??= this.#import()
      const key = await this.#importing
      if (!this.#isDropped) this.#key = key
    } catch {}
    return this.#key !== undefined
  }

  /** Leaves the lane when the platform is done, whoever still waits for it. */
  async #ask<T>(work: (key: PlatformKey) => Promise<T>): Promise<T | undefined> {
    try {
      return this.#key && (await work(this.#key))
    } catch {
      return undefined
    } finally {
      this.#lane.leave()
    }
  }
}

/**
 * What `bytes` are now. The platform may be asked later, and where it fails they are read again; callers may write to short ones meanwhile,
 * and long ones are the kernel's own.
 */
export const snapshot = (bytes: Uint8Array): Uint8Array => (bytes.length > SLICE_BYTES ? bytes : bytes.slice())

const wipe = (bytes: ArrayBuffer | undefined): void => {
  if (bytes) new Uint8Array(bytes).fill(0)
}
