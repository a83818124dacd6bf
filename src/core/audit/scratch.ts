/** A reusable buffer for encoding strings before they are hashed. Allocating a buffer for each string would take as long as hashing. */

const TEXT = /* @__PURE__ */ new TextEncoder()

export class Scratch {
  readonly #bytes: Uint8Array
  /** The number of characters up to which a string always fits. */
  readonly longest: number

  constructor(longest: number) {
    this.#bytes = new Uint8Array(longest * 3)
    this.longest = longest
  }

  /** The string as UTF-8. The bytes are valid until the next call. */
  encode(text: string): Uint8Array {
    return this.#bytes.subarray(0, TEXT.encodeInto(text, this.#bytes).written)
  }
}
