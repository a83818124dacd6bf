/** The parts of the package `pg` that are used here, as structural types, so that nothing is imported from it. */

export interface PgClient {
  connect(): Promise<unknown>
  /**
   * Without values, the driver uses the simple query protocol. The text may then contain several statements, and the answer has a result
   * for each of them.
   */
  query(text: string): Promise<unknown>
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): unknown
}

/** The module `pg`, or its default export. */
export interface PgModule {
  readonly Client: new (config: Readonly<Record<string, unknown>>) => PgClient
}

type Row = Readonly<Record<string, unknown>>

/** Returns the rows of the last statement that returned rows. */
export function lastRows(answer: unknown): readonly Row[] {
  const results = (Array.isArray(answer) ? answer : [answer]) as readonly { readonly rows?: readonly Row[] }[]
  return results.findLast(({ rows }) => rows && rows.length > 0)?.rows ?? []
}
