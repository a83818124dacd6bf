/** Reads a log: splits it into lines and parses the chain link at the end of each line. */

/** A log, either as whole lines or as chunks from a read stream. */
export type AuditLines = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/**
 * The lines that are not empty, with their numbers. The first line has number 1. If a sink wrote text before an entry, the text is removed.
 */
export async function* linesOf(log: AuditLines): AsyncGenerator<{ readonly at: number; readonly line: string }, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let at = 0
  let lineWise = false
  const shown = (text: string) => ({ at, line: text.slice(Math.max(0, text.indexOf('{'))) })
  for await (const piece of log) {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
    const pieces = (rest + text).split('\n')
    rest = pieces.pop() as string
    // A string that is one complete entry without a line break shows that the log consists of whole lines: treat each piece as a line.
    lineWise ||= typeof piece === 'string' && pieces.length === 0 && LINK.test(rest)
    if (lineWise && pieces.length === 0) {
      pieces.push(rest)
      rest = ''
    }
    for (const line of pieces) {
      at++
      if (line.trim() !== '') yield shown(line)
    }
  }
  at++
  if (rest.trim() !== '') yield shown(rest)
}

/** Matches the chain link at the end of a line. */
const LINK = /,"chain":\{"id":"([0-9A-Za-z]{16})","number":([1-9]\d{0,14}),"previous":"([\w-]{0,43})","mac":"([\w-]{43})"\}\}\s*$/

export interface ReadLink {
  readonly id: string
  readonly number: number
  readonly previous: string
  readonly mac: string
  /** The text that the MAC covers. */
  readonly covered: string
}

/** Undefined if the line is not an entry. */
export function readLink(line: string): ReadLink | undefined {
  const found = LINK.exec(line)
  if (!found) return undefined
  const [, id, number, previous, mac] = found as unknown as readonly string[]
  const covered = line.slice(0, line.lastIndexOf(',"mac":"'))
  return { id: id as string, number: Number(number), previous: previous as string, mac: mac as string, covered }
}
