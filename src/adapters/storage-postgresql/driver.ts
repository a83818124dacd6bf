/**
 * The part of the package `pg` that is used here, typed structurally. Nothing is imported from `pg`, and a wrapper with the same methods
 * works as well.
 */

/** A client on which the application has begun a transaction. `join` needs no other method. */
export interface PgQueryable {
  /** Returns an array of results if `text` contains several statements, which is possible only without `values`. */
  query(text: string, values?: unknown[]): Promise<unknown>
}

export interface PgPoolClient extends PgQueryable {
  /** Returns the connection to the pool, or ends it if `destroy` is true. */
  release(destroy?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
  removeListener(event: string, listener: (error: Error) => void): unknown
}

/** A `Pool` of `pg` has these methods. */
export interface PgPool {
  connect(): Promise<PgPoolClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Emitted synchronously before `connect` hands out a connection. */
  on(event: 'acquire', listener: (client: Pick<PgPoolClient, 'on'>) => void): unknown
  // biome-ignore lint/suspicious/noExplicitAny: the listeners of either event.
  removeListener(event: string, listener: (...args: any[]) => void): unknown
  /** True once the pool is ending. It then hands out no more connections. */
  readonly ending?: boolean
  readonly options?: { readonly max?: number | null | undefined }
  /**
   * The number of idle connections, the number of open connections, and the number of waiting callers. Without these properties, all reads
   * share one connection.
   */
  readonly idleCount?: number
  readonly totalCount?: number
  readonly waitingCount?: number
}

/** A row, by column name. Values are strings, or numbers if the application lets `pg` parse bigint as a number. */
export type Row = Readonly<Record<string, unknown>>

/** Returns the rows of each statement. */
export function rowsOf(answer: unknown): readonly (readonly Row[])[] {
  const results = (Array.isArray(answer) ? answer : [answer]) as readonly { readonly rows?: readonly Row[] }[]
  return results.map(({ rows }) => rows ?? [])
}

/** Returns the rows of a single statement. */
export const onlyRows = (answer: unknown): readonly Row[] => rowsOf(answer)[0] ?? []
