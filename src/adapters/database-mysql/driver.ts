/** The parts of the package `mysql2` that are used here, as structural types, so that nothing is imported from it. */

export interface MysqlConnection {
  /** Sends one statement with the text protocol. Resolves to rows and fields. */
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
