/**
 * HMAC that keeps the two hash states behind the padded key. Source: RFC 2104 section 4 (the precomputation), FIPS 198-1.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { encodeBase64 } from '../../base/base64.ts'
import { inPieces, type Steps } from '../../base/steps.ts'
import type { HashName, MacKey } from '../backend.ts'
import { wiped } from '../wiped.ts'
import { HASH_PIECE, NOBLE_HASHES } from './hash.ts'

/** What is used of noble's incremental HMAC. */
interface State {
  update(data: Uint8Array): State
  digest(): Uint8Array
  clone(): State
  /** Makes `to` a copy without allocating. */
  _cloneInto(to: State): State
  destroy(): void
}

export class HmacKey implements MacKey {
  /** Key-equivalent: whoever has it can compute MACs. */
  #keyed: State | undefined
  /** Taken over and over for one-call MACs; noble wipes it at the end of each. */
  readonly #work: State

  /** `key`: any length, read and not kept. */
  constructor(hash: HashName, key: Uint8Array) {
    const keyed = hmac.create(NOBLE_HASHES[hash], key) as State
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

  #alive(): State {
    if (this.#keyed === undefined) throw wiped()
    return this.#keyed
  }
}
