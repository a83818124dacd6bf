/**
 * What is used of the package `pg`, told structurally: nothing is imported from it, and a wrapper with the same methods does as well.
 */

/** A client that is inside a transaction of the application's own: all that `join` needs. */
export interface PgQueryable {
  /** Several statements in one text, without values, give an array of results. */
  query(text: string, values?: unknown[]): Promise<unknown>
}

export interface PgPoolClient extends PgQueryable {
  /** Back to the pool; with `true` the connection is ended. */
  release(destroy?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
  removeListener(event: string, listener: (error: Error) => void): unknown
}

/** A `Pool` of `pg` fits as it is. */
export interface PgPool {
  connect(): Promise<PgPoolClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: string, listener: () => void): unknown
  /** True from when the pool is ended: then there is nothing to wait for. */
  readonly ending?: boolean
  readonly options?: { readonly max?: number | null | undefined }
  /** How many connections wait for work, are open at all, and how many callers wait for one. Without them reads share one connection. */
  readonly idleCount?: number
  readonly totalCount?: number
  readonly waitingCount?: number
}

/** A column is what the driver makes of it: text, or a number where a bigint is parsed as one. */
export type Row = Readonly<Record<string, unknown>>

/** The rows of each statement. */
export function rowsOf(answer: unknown): readonly (readonly Row[])[] {
  const results = (Array.isArray(answer) ? answer : [answer]) as readonly { readonly rows?: readonly Row[] }[]
  return results.map(({ rows }) => rows ?? [])
}

/** The rows of a single statement. */
export const onlyRows = (answer: unknown): readonly Row[] => rowsOf(answer)[0] ?? []
