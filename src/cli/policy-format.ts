/** Formats policies in HCL: indentation by brackets, one space around `=`, aligned values, no trailing spaces. Comments and strings stay. */

/** A line, with its brackets and `=` outside of strings and comments. */
interface ScannedLine {
  readonly text: string
  /** Whether the line is inside a block comment or a heredoc, so that it is not changed. */
  readonly isVerbatim: boolean
  /** How many brackets the line closes before it opens any, and by how much it changes the depth. */
  readonly closesFirst: number
  readonly change: number
  /** The place of the `=` of an attribute, or -1. */
  readonly equals: number
}

const INDENT = '  '

export function formatPolicy(text: string): string {
  const lines: string[] = []
  let depth = 0
  let attributes: ScannedLine[] = []
  const flush = (): void => {
    lines.push(...alignAttributes(attributes).map((line) => INDENT.repeat(depth) + line))
    attributes = []
  }
  for (const line of scanLines(text.replaceAll('\r\n', '\n'))) {
    if (!line.isVerbatim && line.equals >= 0 && line.change === 0) {
      attributes.push(line)
      continue
    }
    flush()
    if (line.isVerbatim) lines.push(line.text)
    else if (line.text === '') {
      // Blank lines separate blocks: at most one, and none after a bracket that opens a block.
      if (lines.length > 0 && lines.at(-1) !== '' && !/[{[(]$/.test(lines.at(-1) as string)) lines.push('')
    } else {
      const level = Math.max(0, depth - line.closesFirst)
      if (line.closesFirst > 0) while (lines.at(-1) === '') lines.pop()
      lines.push(INDENT.repeat(level) + spacedEquals(line))
    }
    depth = Math.max(0, depth + line.change)
  }
  flush()
  while (lines.at(-1) === '') lines.pop()
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function alignAttributes(lines: readonly ScannedLine[]): readonly string[] {
  const width = Math.max(0, ...lines.map(({ text, equals }) => text.slice(0, equals).trimEnd().length))
  return lines.map(
    ({ text, equals }) => `${text.slice(0, equals).trimEnd().padEnd(width)} = ${text.slice(equals + 1).trimStart()}`,
  )
}

const spacedEquals = ({ text, equals }: ScannedLine): string =>
  equals < 0 ? text : `${text.slice(0, equals).trimEnd()} = ${text.slice(equals + 1).trimStart()}`

function* scanLines(text: string): Generator<ScannedLine, void, undefined> {
  let inComment = false
  let heredocEnd: string | undefined
  for (const raw of text.split('\n')) {
    const verbatim = inComment || heredocEnd !== undefined
    if (heredocEnd !== undefined) {
      if (raw.trim() === heredocEnd) heredocEnd = undefined
      yield { text: raw, isVerbatim: true, closesFirst: 0, change: 0, equals: -1 }
      continue
    }
    const line = verbatim ? raw : raw.trim()
    const scanned = scanLine(line, inComment)
    inComment = scanned.inComment
    heredocEnd = scanned.heredocEnd
    yield { ...scanned, text: verbatim ? raw.trimEnd() : line, isVerbatim: verbatim }
  }
}

function scanLine(line: string, startsInComment: boolean) {
  let inComment = startsInComment
  let [opened, closesFirst, change, equals] = [0, 0, 0, -1]
  for (let at = 0; at < line.length; at++) {
    const rest = line.slice(at)
    if (inComment) {
      if (rest.startsWith('*/')) [inComment, at] = [false, at + 1]
    } else if (rest.startsWith('/*')) [inComment, at] = [true, at + 1]
    else if (rest.startsWith('#') || rest.startsWith('//')) break
    else if (line[at] === '"') at = endOfString(line, at)
    else if (rest.startsWith('<<')) {
      const heredocEnd = /^<<-?([A-Za-z_][\w-]*)/.exec(rest)?.[1]
      return { inComment, heredocEnd, closesFirst, change, equals }
    } else if (line[at] === '=' && equals < 0 && change === 0) equals = at
    else if (/[{[(]/.test(line[at] as string)) [opened, change] = [opened + 1, change + 1]
    else if (/[}\])]/.test(line[at] as string)) {
      if (opened === 0) closesFirst++
      else opened--
      change--
    }
  }
  return { inComment, heredocEnd: undefined, closesFirst, change, equals }
}

/** The place of the quote that ends the string. Braces of a template `${...}` and escapes do not end it. */
function endOfString(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === '"') return at
  }
  return line.length
}
