/**
 * What is used of the package `mysql2`, told structurally: nothing is imported from it.
 */

export interface MysqlConnection {
  /** The text protocol: one statement. Resolves with rows and fields. */
  query(text: string): Promise<unknown>
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): unknown
}

/** The module `mysql2/promise`, or its default export. */
export interface MysqlModule {
  createConnection(options: Readonly<Record<string, unknown>>): Promise<MysqlConnection>
}

export type MysqlRow = Readonly<Record<string, unknown>>

export function rowsOf(answer: unknown): readonly MysqlRow[] {
  const rows: unknown = Array.isArray(answer) ? answer[0] : undefined
  return Array.isArray(rows) ? (rows as MysqlRow[]) : []
}
