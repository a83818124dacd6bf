/** The number of characters after which the parts are joined. Joining millions of small parts only at the end would be slow. */
export const CHUNK = 32_768

/** Receives the parts of a string in order. */
export interface TextSink {
  push(part: string): void
  /** True if the writer should stop, even if its string is not complete. */
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

  /** The complete string. */
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
