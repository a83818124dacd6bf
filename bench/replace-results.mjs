/** Puts new results of some subjects into the text of RESULTS.md. All other results stay as they are. */
import { targetTable } from './report.mjs'

/** A row of the table of targets, and the text that identifies it. */
const ROW = /^\| (.+?) \| .* \|$/

/**
 * @param {string} text of RESULTS.md
 * @param {readonly { title: string, text: string, targets: readonly object[] }[]} subjects
 * @param {string} when For the sections, because the date at the top belongs to the others.
 */
export function replaceResults(text, subjects, when) {
  let result = text
  for (const { title, text: section, targets } of subjects) {
    result = withSection(result, title, `## ${title}\n\nMeasured on ${when}.\n\n${section}\n`)
    for (const row of targetTable(targets).split('\n').slice(2)) result = withTarget(result, row)
  }
  return result
}

function withSection(text, title, section) {
  const begin = text.indexOf(`\n## ${title}\n`)
  if (begin < 0) return `${text.trimEnd()}\n\n${section}`
  const next = text.indexOf('\n## ', begin + 1)
  return `${text.slice(0, begin + 1)}${section}${next < 0 ? '' : text.slice(next)}`
}

/** Replaces the row of the same target, or adds the row at the end of the table. */
function withTarget(text, row) {
  const [, what] = ROW.exec(row)
  const lines = text.split('\n')
  const known = lines.findIndex((line) => line.startsWith(`| ${what} | at `))
  if (known >= 0) lines[known] = row
  else
    lines.splice(
      lines.indexOf('', lines.indexOf('| target | expected | measured, median (middle half of the rounds) | met |')),
      0,
      row,
    )
  return lines.join('\n')
}
