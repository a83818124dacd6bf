/**
 * A key in the platform's hands, which does not give its bytes back.
 */
import { awaited, SLICE_BYTES, type Steps } from '../../base/steps.ts'
import { wiped } from '../wiped.ts'
import type { Lane } from './lane.ts'
import type { PlatformKey } from './subtle.ts'

/** Imported when it is first needed, and kept until it is dropped. What the platform refuses or fails at comes to undefined. */
export class KeptKey {
  readonly #import: () => Promise<PlatformKey>
  readonly #lane: Lane
  #importing: Promise<PlatformKey> | undefined
  #key: PlatformKey | undefined
  #isDropped = false

  /** @param imports Called at most once. */
  constructor(imports: () => Promise<PlatformKey>, lane: Lane) {
    this.#import = imports
    this.#lane = lane
  }

  /** Bytes of the platform. @throws TypeError when the key is dropped meanwhile; the bytes are wiped then. */
  *bytes(work: (key: PlatformKey) => Promise<ArrayBuffer>): Steps<Uint8Array | undefined> {
    const made = yield* awaited(this.#ask(work), wipe)
    const bytes = made && new Uint8Array(made)
    if (!this.#isDropped) return bytes
    bytes?.fill(0)
    throw wiped()
  }

  verdict(work: (key: PlatformKey) => Promise<boolean>): Steps<boolean | undefined> {
    return awaited(this.#ask(work))
  }

  drop(): void {
    this.#isDropped = true
    this.#importing = undefined
    this.#key = undefined
  }

  async #ask<T>(work: (key: PlatformKey) => Promise<T>): Promise<T | undefined> {
    if (this.#isDropped) throw wiped()
    try {
      if (!this.#key) {
        this.#importing ??= this.#import()
        const key = await this.#importing
        if (this.#isDropped) throw wiped()
        this.#key = key
      }
      return await this.#lane.run(async () => {
        if (!this.#key) throw wiped()
        return work(this.#key)
      })
    } catch {
      return undefined
    }
  }
}

/**
 * What `bytes` are now. The platform may be asked later, and where it fails they are read again; callers may write to short ones meanwhile,
 * and long ones are the kernel's own.
 */
export const asNow = (bytes: Uint8Array): Uint8Array => (bytes.length > SLICE_BYTES ? bytes : bytes.slice())

const wipe = (bytes: ArrayBuffer | undefined): void => {
  if (bytes) new Uint8Array(bytes).fill(0)
}
