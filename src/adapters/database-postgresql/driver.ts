/**
 * What is used of the package `pg`, told structurally: nothing is imported from it.
 */

export interface PgClient {
  connect(): Promise<unknown>
  /** Without values it is the simple protocol: several statements in one text, of which each has a result. */
  query(text: string): Promise<unknown>
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): unknown
}

/** The module, or its default export. */
export interface PgModule {
  readonly Client: new (config: Readonly<Record<string, unknown>>) => PgClient
}

type Row = Readonly<Record<string, unknown>>

/** The rows of the last statement that has any. */
export function lastRows(answer: unknown): readonly Row[] {
  const results = (Array.isArray(answer) ? answer : [answer]) as readonly { readonly rows?: readonly Row[] }[]
  return results.findLast(({ rows }) => rows && rows.length > 0)?.rows ?? []
}
