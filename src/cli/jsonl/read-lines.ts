import { createReadStream } from 'node:fs'

/** A line of a file. */
export interface FileLine {
  /** The text with its line break, if it has one. */
  readonly text: string
  /** The offset in the file after the line, in bytes. */
  readonly end: number
}

const LINE_FEED = 0x0a

/**
 * Reads a file line by line, beginning at an offset that is the end of a line.
 * @throws Error if a line is not UTF-8.
 */
export async function* readLines(path: string, start: number, signal: AbortSignal): AsyncGenerator<FileLine, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let end = start
  let begun: Buffer[] = []
  const line = (last: Buffer): FileLine => {
    const bytes = begun.length === 0 ? last : Buffer.concat([...begun, last])
    begun = []
    end += bytes.length
    return { text: decoder.decode(bytes), end }
  }
  for await (const chunk of createReadStream(path, { start, signal }) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      yield line(chunk.subarray(from, at + 1))
      from = at + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
  }
  if (begun.length > 0) yield line(Buffer.alloc(0))
}
