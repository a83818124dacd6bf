/**
 * A reused buffer for encoding texts while they are hashed: allocating new bytes for each would cost as much again.
 */

const TEXT = /* @__PURE__ */ new TextEncoder()

export class Scratch {
  readonly #bytes: Uint8Array
  /** Texts of at most this many characters always fit. */
  readonly longest: number

  constructor(longest: number) {
    this.#bytes = new Uint8Array(longest * 3)
    this.longest = longest
  }

  /** UTF-8, valid until the next call. */
  encode(text: string): Uint8Array {
    return this.#bytes.subarray(0, TEXT.encodeInto(text, this.#bytes).written)
  }
}
