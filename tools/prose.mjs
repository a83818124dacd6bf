// Extracts the text that people read from a source file or a page: comments, messages, test titles and prose. Each piece is one comment, literal or
// paragraph.

/** A comment, literal or paragraph, with the number of its first line. */
const piece = (line, kind, text) => ({ line, kind, text: text.replace(/\s+/g, ' ').trim() })

const COMMENT_LINE = /^\s*(?:\/\*\*?|\*\/|\*(?=\s|$)|\/\/)\s?(.*)$/
const TRAILING_COMMENT = /\s\/\/ (.*)$/
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/g
/** A literal before the function of a test or group, or before its options. */
const TITLE =
  /(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n$]|\\.|\$(?!\{)|\$\{(?:[^`{}]|`(?:[^`$]|\$\{[^}]*\})*`)*\})*)`),\s*(?:$|\{|async\b|function\b|\(|\w+(?:\s*=>|\)))/
const OPENING = /^\s*(it|test|describe)\w*\b[.(]/
/** The second half of a call such as `describe.each([...])('title', ...)`. */
const CONTINUATION = /^\s*(?:\](?: as const)?\)\(|\)\()/
const ROW_OF_ITS_OWN = /^\s*["`']/

/** Literals of three words or more are sentences; shorter ones are names and values. */
const isSentence = (text) => /[a-z]\S* \S+ \S/i.test(text.replace(/\$\{[^}]*\}/g, '0'))

/** The comments of a TypeScript source; consecutive lines are one comment. */
export function comments(source) {
  const found = []
  let block
  for (const [index, row] of source.split('\n').entries()) {
    const line = COMMENT_LINE.exec(row)
    if (line) {
      // A tag, an empty line or the start of a comment begins a new piece.
      const text = line[1].replace(/\*\/\s*$/, '')
      if (!block || /^\s*\/\*/.test(row) || /^\s*@\w+/.test(text) || text.trim() === '') {
        block = { line: index + 1, rows: [] }
        found.push(block)
      }
      block.rows.push(text)
      if (/\*\/\s*$/.test(row)) block = undefined
      continue
    }
    block = undefined
    const trailing = TRAILING_COMMENT.exec(row)
    if (trailing) found.push({ line: index + 1, rows: [trailing[1]] })
  }
  return found.map(({ line, rows }) => piece(line, 'comment', rows.join(' '))).filter(({ text }) => text !== '')
}

const codeOnly = (row) => (COMMENT_LINE.test(row) ? '' : row.replace(TRAILING_COMMENT, ''))

/** The string literals of a source that are sentences: messages, descriptions, warnings. */
export const messages = (source) =>
  source.split('\n').flatMap((row, index) =>
    [...codeOnly(row).matchAll(LITERAL)]
      .map((match) => match[1] ?? match[2] ?? match[3])
      .filter(isSentence)
      .map((text) => piece(index + 1, 'message', text)),
  )

/** The titles of the tests and groups of a file. `path` begins with the titles of the enclosing groups, as in a list of failures. */
export function titles(source) {
  const enclosing = []
  const found = []
  let opened
  let previous = ''
  for (const [index, row] of source.split('\n').entries()) {
    const continues = CONTINUATION.test(row) || (ROW_OF_ITS_OWN.test(row) && previous.endsWith('('))
    previous = row
    const opening = OPENING.exec(row)
    if (opening) opened = { kind: opening[1], depth: row.search(/\S/) }
    if (!opened || !(opening || continues)) continue
    const match = TITLE.exec(codeOnly(row))
    if (!match) continue
    const { kind, depth } = opened
    opened = undefined
    while (enclosing.length > 0 && enclosing.at(-1).depth >= depth) enclosing.pop()
    const own = piece(index + 1, kind === 'describe' ? 'group' : 'title', match[1] ?? match[2] ?? match[3])
    found.push({ ...own, path: [...enclosing.map(({ text }) => text), own.text].join(' > ') })
    if (kind === 'describe') enclosing.push({ depth, text: own.text })
  }
  return found
}

/**
 * The prose of a Markdown page: paragraphs, list items and table cells, without code. `path` has the heading in front and, for a cell, its
 * row and column, because a reader of the page sees them first.
 */
export function paragraphs(page) {
  const found = []
  let fenced = false
  let heading = ''
  let columns
  let open
  for (const [index, row] of page.split('\n').entries()) {
    if (/^\s*```/.test(row)) fenced = !fenced
    const text = fenced || /^\s*```/.test(row) ? '' : row
    if (!/^\s*\|/.test(text)) columns = undefined
    if (text.trim() === '') open = undefined
    else if (/^\s*\|/.test(text)) {
      const cells = text.split(/(?<!\\)\|/).slice(1)
      columns ??= cells
      for (const [column, cell] of cells.entries())
        if (/[a-z]/i.test(cell))
          found.push({ line: index + 1, text: cell, above: [heading, column > 0 ? cells[0] : '', columns[column] ?? ''] })
    } else {
      if (!open || /^\s*(?:[-*#]|\d+\.) ?/.test(text)) {
        open = { line: index + 1, text: '', above: [heading] }
        found.push(open)
      }
      open.text = `${open.text} ${text.replace(/^\s*(?:[-*#]+|\d+\.) /, '')}`.trim()
      if (/^#/.test(text)) heading = open.text
    }
  }
  return found.map(({ line, text, above }) => {
    const own = piece(line, 'prose', text)
    const names = above.map((part) => piece(line, 'prose', part).text).filter((part) => part !== '' && part !== own.text)
    return { ...own, path: [...names, own.text].join(' > ') }
  })
}
