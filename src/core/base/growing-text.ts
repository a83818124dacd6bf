/**
 * A long text made of many small pieces.
 */

/** Characters that are put together at once: a text of millions of small pieces takes long to become one. */
export const CHUNK = 32_768

export class GrowingText {
  #text = ''
  #parts: string[] = []
  #length = 0

  push(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#length >= CHUNK) this.#join()
  }

  /** The whole. */
  end(): string {
    this.#join()
    return this.#text
  }

  #join(): void {
    this.#text += this.#parts.join('')
    this.#parts = []
    this.#length = 0
  }
}
