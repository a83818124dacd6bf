/**
 * Builds a long text from many small pieces.
 */

/** Characters joined at a time: joining millions of small pieces at the end would take long. */
export const CHUNK = 32_768

/** Takes the pieces of a text one after the other. */
export interface TextSink {
  push(part: string): void
  /** True when the writer is to stop, whatever is left. */
  readonly full?: boolean
}

export class GrowingText implements TextSink {
  #text = ''
  #parts: string[] = []
  #length = 0

  push(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#length >= CHUNK) this.#join()
  }

  get length(): number {
    return this.#text.length + this.#length
  }

  /** The whole text. */
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
