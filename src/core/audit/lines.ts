/** Reads a log: splits it into lines and finds the chain link at the end of each. */

/** A log: whole lines, or chunks of its text as a read stream yields them. */
export type AuditLines = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** Non-empty lines with their numbers, from 1. Text that a sink writes before an entry is removed. */
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
    // If the source yields one line without its line break, it yields all lines that way.
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

/** The chain link at the end of an entry's line. */
const LINK = /,"chain":\{"id":"([0-9A-Za-z]{16})","number":([1-9]\d{0,14}),"previous":"([\w-]{0,43})","mac":"([\w-]{43})"\}\}\s*$/

export interface ReadLink {
  readonly id: string
  readonly number: number
  readonly previous: string
  readonly mac: string
  /** The text that the MAC covers. */
  readonly covered: string
}

/** Undefined for a line that is not an entry. */
export function readLink(line: string): ReadLink | undefined {
  const found = LINK.exec(line)
  if (!found) return undefined
  const [, id, number, previous, mac] = found as unknown as readonly string[]
  const covered = line.slice(0, line.lastIndexOf(',"mac":"'))
  return { id: id as string, number: Number(number), previous: previous as string, mac: mac as string, covered }
}
