/** The number of characters that are joined at a time, because joining millions of small parts at the end would be slow. */
export const CHUNK = 32_768

/** Receives the parts of a text in order. */
export interface TextSink {
  push(part: string): void
  /** True if the writer should stop, whatever it still has to write. */
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
