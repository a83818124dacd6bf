/** A reused buffer for encoding texts before they are hashed. Allocating a new buffer would cost as much as hashing. */

const TEXT = /* @__PURE__ */ new TextEncoder()

export class Scratch {
  readonly #bytes: Uint8Array
  /** Texts of at most this many characters always fit. */
  readonly longest: number

  constructor(longest: number) {
    this.#bytes = new Uint8Array(longest * 3)
    this.longest = longest
  }

  /** The text as UTF-8 bytes, valid until the next call. */
  encode(text: string): Uint8Array {
    return this.#bytes.subarray(0, TEXT.encodeInto(text, this.#bytes).written)
  }
}
