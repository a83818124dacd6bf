/** Reads answers of HTTP/1.1 from a connection in linear time. */
import type { Duplex } from 'node:stream'

export interface ReadAnswer {
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

const HEAD_END = Buffer.from('\r\n\r\n')

export class AnswerReader {
  readonly answers: ReadAnswer[] = []
  readonly #connection: Duplex
  readonly #chunks: Buffer[] = []
  readonly #isHead: (index: number) => boolean
  #size = 0
  /** The minimum number of bytes of the next answer. */
  #needed = 0
  #wake = () => {}

  /** @param isHead Whether the request with this index was a HEAD, whose answer has no body. */
  constructor(connection: Duplex, isHead: (index: number) => boolean = () => false) {
    this.#connection = connection.on('data', (chunk: Buffer) => this.#take(chunk)).on('close', () => this.#wake())
    this.#isHead = isHead
  }

  /** Bytes after the last complete answer. */
  get rest(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  /** Waits until `count` answers are read or the connection is closed. */
  async read(count: number): Promise<readonly ReadAnswer[]> {
    while (this.answers.length < count && !this.#connection.destroyed)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.answers
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#needed) return
    let rest = this.rest
    for (let answer = this.#next(rest); answer; answer = this.#next(rest)) {
      rest = rest.subarray(answer.end)
      if (answer.status >= 200) this.answers.push(answer)
    }
    this.#chunks.splice(0, this.#chunks.length, rest)
    this.#size = rest.length
    this.#wake()
  }

  #next(bytes: Buffer): (ReadAnswer & { readonly end: number }) | undefined {
    this.#needed = 0
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) return undefined
    const head = bytes.toString('latin1', 0, end)
    const start = end + HEAD_END.length
    const status = Number(head.slice(9, 12))
    const hasBody = status >= 200 && !this.#isHead(this.answers.length)
    const length = hasBody ? Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) : 0
    this.#needed = start + length
    if (bytes.length < this.#needed) return undefined
    return { status, head, body: bytes.subarray(start, start + length), end: start + length }
  }
}
