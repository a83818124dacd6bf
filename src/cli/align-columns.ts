/** The rows as lines: each column begins at the same place in all lines. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] as number)))
      .join('  ')
      .trimEnd(),
  )
}

/** The members of an object as lines `name: value`. Members that are undefined are left out. Nested values are JSON. */
export const memberLines = (members: object): readonly string[] =>
  alignColumns(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, shownValue(value)]),
  )

const shownValue = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)
