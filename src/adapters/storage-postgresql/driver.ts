/**
 * The used part of the package `pg`, typed structurally: nothing is imported from it, and a wrapper with the same methods works
 * as well.
 */

/** A client inside a transaction of the application: all that `join` needs. */
export interface PgQueryable {
  /** Several statements in one text, without values, give an array of results. */
  query(text: string, values?: unknown[]): Promise<unknown>
}

export interface PgPoolClient extends PgQueryable {
  /** Returns it to the pool; with `true` the connection is ended. */
  release(destroy?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
  removeListener(event: string, listener: (error: Error) => void): unknown
}

/** A `Pool` of `pg` fits as it is. */
export interface PgPool {
  connect(): Promise<PgPoolClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Emitted synchronously before a connection is lent. */
  on(event: 'acquire', listener: (client: Pick<PgPoolClient, 'on'>) => void): unknown
  // biome-ignore lint/suspicious/noExplicitAny: the listeners of either event.
  removeListener(event: string, listener: (...args: any[]) => void): unknown
  /** True once the pool is being ended: then it gives no more connections. */
  readonly ending?: boolean
  readonly options?: { readonly max?: number | null | undefined }
  /** The numbers of idle connections, of open connections, and of waiting callers. Without them reads share one connection. */
  readonly idleCount?: number
  readonly totalCount?: number
  readonly waitingCount?: number
}

/** A column in the driver's form: text, or a number if bigint is parsed as one. */
export type Row = Readonly<Record<string, unknown>>

/** The rows of each statement. */
export function rowsOf(answer: unknown): readonly (readonly Row[])[] {
  const results = (Array.isArray(answer) ? answer : [answer]) as readonly { readonly rows?: readonly Row[] }[]
  return results.map(({ rows }) => rows ?? [])
}

/** The rows of a single statement. */
export const onlyRows = (answer: unknown): readonly Row[] => rowsOf(answer)[0] ?? []
