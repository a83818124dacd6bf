/**
 * Reads and writes CSV as in RFC 4180. The result of reading is a list of rows, each a list of strings. Written cells have quotes only if they need them, and lines end with LF.
 */

const NEEDS_QUOTES = /[",\r\n]/
/** A cell, quoted or not, and the separator after it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y

/** @throws Error with the line of the first cell that cannot be read */
export function parseCsv(text) {
  const rows = []
  let row = []
  CELL.lastIndex = 0
  while (CELL.lastIndex < text.length) {
    const at = CELL.lastIndex
    const cell = CELL.exec(text)
    if (!cell) throw new Error(`line ${text.slice(0, at).split('\n').length}: a quote is missing or out of place`)
    const [, quoted, plain, end] = cell
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',' && CELL.lastIndex < text.length) continue
    // The input ends after a comma, so the last cell is empty, and the pattern has nothing left to match.
    if (end === ',') row.push('')
    rows.push(row)
    row = []
  }
  return rows
}

export const formatCsv = (rows) => rows.map((row) => `${row.map(formatCell).join(',')}\n`).join('')

const formatCell = (cell) => (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
