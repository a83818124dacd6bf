/**
 * Results as Markdown.
 */
const MILLISECOND = 1000

export const microseconds = (value) => {
  const size = Math.abs(value)
  if (size >= MILLISECOND) return `${(value / MILLISECOND).toFixed(size >= 10 * MILLISECOND ? 1 : 2)} ms`
  return `${value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)} us`
}

export const ratio = (value) => `${value.toFixed(2)}x`

/** `1.23 us`, and beneath it the spread. */
export const timeCell = ({ median, low, high }) => `${microseconds(median)} (${microseconds(low)} to ${microseconds(high)})`

/** `1.23x`, and beside it the spread. */
export const ratioCell = ({ median, low, high }) => `${ratio(median)} (${low.toFixed(2)} to ${high.toFixed(2)})`

export function table(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** One row per measurement: the median time of each candidate, then how many times as fast as its floor each of `compared` is. */
export function comparison(measured, columns, compared) {
  const header = ['', ...columns.map((name) => name), ...compared.map(([name, floor]) => `${name} : ${floor}`)]
  const rows = measured.map(([label, rounds]) => [
    label,
    ...columns.map((name) => (rounds.has(name) ? microseconds(rounds.time(name).median) : '')),
    ...compared.map(([name, floor]) => (rounds.has(name) && rounds.has(floor) ? ratioCell(rounds.speed(name, floor)) : '')),
  ])
  return table(header, rows)
}

/** A figure to be at least, or at most, some value. `unit` formats it. */
export function target(what, { median, low, high }, { atLeast, atMost }, unit) {
  const met = atLeast === undefined ? median <= atMost : median >= atLeast
  const limit = atLeast === undefined ? `at most ${unit(atMost)}` : `at least ${unit(atLeast)}`
  return { what, limit, measured: `${unit(median)} (${unit(low)} to ${unit(high)})`, met }
}

export const targetTable = (targets) =>
  table(
    ['target', 'expected', 'measured, median (middle half of the rounds)', 'met'],
    targets.map(({ what, limit, measured, met }) => [what, limit, measured, met ? 'yes' : '**no**']),
  )
