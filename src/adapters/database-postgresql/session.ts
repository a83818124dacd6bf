import { databaseFailure } from '../database/failure.ts'
import { type DatabaseSession, SessionSocket, untilAborted } from '../database/session.ts'
import { lastRows, type PgClient, type PgModule } from './driver.ts'
import { loginFailure, sqlState, statementFailure } from './failures.ts'
import type { PgHost, PgTarget } from './target.ts'

/**
 * Sent first in each session. The scanner of statements requires `standard_conforming_strings`, and the values of `{{expiration}}` are in
 * UTC.
 */
const SESSION_SETUP = 'SET standard_conforming_strings = on; SET timezone = UTC; SELECT pg_is_in_recovery() AS standby'

const NO_TLS = 'The server does not support SSL connections'

export class PgSession implements DatabaseSession {
  readonly #client: PgClient
  readonly #socket: SessionSocket
  #usable = true

  constructor(client: PgClient, socket: SessionSocket) {
    this.#client = client
    this.#socket = socket
    const over = (): void => {
      this.#usable = false
    }
    client.on('error', over)
    client.on('end', over)
  }

  get usable(): boolean {
    return this.#usable
  }

  /** @throws DatabaseError */
  async query(text: string): Promise<ReturnType<typeof lastRows>> {
    this.#socket.expectAnswer()
    try {
      return lastRows(await this.#client.query(text))
    } catch (error) {
      const failure = statementFailure(error)
      if (failure.reason !== 'statement') this.#usable = false
      throw failure
    }
  }

  /**
   * Runs queries in one transaction. BEGIN is sent together with `begin`, and COMMIT together with the last query, which saves two round trips.
   * @param begin A query whose rows determine the other queries.
   * @param textsFor Returns the other queries for those rows.
   */
  async transaction(begin: string, textsFor: (rows: ReturnType<typeof lastRows>) => readonly string[]): Promise<void> {
    try {
      const texts = textsFor(await this.query(`BEGIN; ${begin}`))
      for (const text of texts.slice(0, -1)) await this.query(text)
      const last = texts.at(-1)
      // The line break ends a comment at the end of the query, which would otherwise include COMMIT.
      await this.query(last === undefined ? 'COMMIT' : `${last}\n;COMMIT`)
    } catch (error) {
      if (this.#usable) await this.query('ROLLBACK').catch(() => undefined)
      throw error
    }
  }

  end(): Promise<void> {
    this.#usable = false
    return this.#socket.endAfter(this.#client.end())
  }

  destroy(): void {
    this.#usable = false
    this.#socket.destroy()
  }
}

function tlsOptions({ sslMode, certificates }: PgTarget, { host }: PgHost): object {
  const mode = sslMode === 'require' && certificates.ca ? 'verify-ca' : sslMode
  const verify = mode === 'verify-ca' || mode === 'verify-full'
  return {
    ...certificates,
    host,
    rejectUnauthorized: verify,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  }
}

async function logIn(
  pg: PgModule,
  target: PgTarget,
  host: PgHost,
  tls: boolean,
  signal: AbortSignal,
): Promise<PgSession | 'standby'> {
  const socket = new SessionSocket()
  const client = new pg.Client({
    ...host,
    user: target.user,
    // A function, because for an empty string the driver would read a password from the environment or from a file.
    password: () => target.password,
    database: target.database,
    ssl: tls ? tlsOptions(target, host) : false,
    application_name: target.applicationName,
    keepAlive: true,
    stream: () => socket.make(),
  })
  const session = new PgSession(client, socket)
  try {
    const [row] = await untilAborted(
      signal,
      () => socket.destroy(),
      async () => {
        await client.connect()
        return lastRows(await client.query(SESSION_SETUP))
      },
    )
    if (!target.writable || row?.['standby'] === false) return session
    await session.end()
    return 'standby'
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function logInAt(pg: PgModule, target: PgTarget, host: PgHost, signal: AbortSignal): Promise<PgSession | 'standby'> {
  if (target.sslMode === 'disable' || host.host.startsWith('/')) return logIn(pg, target, host, false, signal)
  try {
    return await logIn(pg, target, host, true, signal)
  } catch (error) {
    if (target.sslMode !== 'prefer' || !(error instanceof Error) || error.message !== NO_TLS) throw error
    return logIn(pg, target, host, false, signal)
  }
}

/**
 * Logs in at the first host that can be reached, and skips standby servers if the target must be writable.
 * @throws DatabaseError The error of the first host that failed.
 */
export async function openPgSession(pg: PgModule, target: PgTarget, signal: AbortSignal): Promise<PgSession> {
  let first: unknown
  for (const host of target.hosts)
    try {
      const session = await logInAt(pg, target, host, signal)
      if (session !== 'standby') return session
    } catch (error) {
      first ??= error
      // If a server has refused the login, the other hosts would refuse it, too.
      if (signal.aborted || sqlState(error) !== undefined) break
    }
  throw first === undefined ? databaseFailure('connection') : loginFailure(first)
}
