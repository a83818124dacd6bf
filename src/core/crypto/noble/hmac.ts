/**
 * HMAC that hashes the padded key only once and keeps the resulting hash states for all MACs. Sources: RFC 2104 section 4 (the
 * precomputation), FIPS 198-1.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { encodeBase64 } from '../../base/base64.ts'
import { inPieces, type Steps } from '../../base/steps.ts'
import type { HashName, MacKey } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { HASH_PIECE, NOBLE_HASHES } from './hash.ts'

/** The part of noble's incremental HMAC that is used here. */
interface HmacState {
  update(data: Uint8Array): HmacState
  digest(): Uint8Array
  clone(): HmacState
  /** Copies this state to `to` without allocating memory. */
  _cloneInto(to: HmacState): HmacState
  destroy(): void
}

export class HmacKey implements MacKey {
  /** The initial state. It is as secret as the key, because anyone who has it can compute MACs. */
  #keyed: HmacState | undefined
  /** The working state of every synchronous MAC. noble wipes it at the end of each MAC. */
  readonly #work: HmacState

  /** @param key The key, of any length. It is neither kept nor changed. */
  constructor(hash: HashName, key: Uint8Array) {
    const keyed = hmac.create(NOBLE_HASHES[hash], key) as HmacState
    this.#keyed = keyed
    this.#work = keyed.clone()
    this.#work.destroy()
  }

  mac(data: Uint8Array): Uint8Array {
    return this.#alive()._cloneInto(this.#work).update(data).digest()
  }

  macText(data: Uint8Array): string {
    return encodeBase64(this.mac(data))
  }

  *macSteps(data: Uint8Array): Steps<Uint8Array> {
    const state = this.#alive().clone()
    try {
      yield* inPieces(data.length, HASH_PIECE, (from, to) => {
        this.#alive()
        state.update(data.subarray(from, to))
      })
      return state.digest()
    } finally {
      state.destroy()
    }
  }

  wipe(): void {
    this.#keyed?.destroy()
    this.#keyed = undefined
  }

  #alive(): HmacState {
    if (this.#keyed === undefined) throw keyWipedError()
    return this.#keyed
  }
}
