import { DatabaseError } from '../database/failure.ts'
import { mysqlScanner } from '../database/mysql-scanner.ts'
import { type DatabaseSession, SessionSocket, untilAborted } from '../database/session.ts'
import { substitute } from '../database/substitute.ts'
import type { MysqlConnection, MysqlModule } from './driver.ts'
import { type MysqlRow, rowsOf } from './driver.ts'
import { loginFailure, SELECT_DENIED, statementFailure } from './failures.ts'
import type { MysqlAddress, MysqlTarget } from './target.ts'

/** SQL modes that change the meaning of quotes, and combined modes that include such a mode. */
const QUOTING = /^(ANSI_QUOTES|NO_BACKSLASH_ESCAPES|ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL|)$/

const FIND = `SELECT 1 FROM mysql.user WHERE User = '{{name}}' LIMIT 1`

export class MysqlSession implements DatabaseSession {
  /** The version of the server, such as `10.11.6-MariaDB`. */
  readonly version: string
  readonly #connection: MysqlConnection
  readonly #socket: SessionSocket
  #usable = true

  constructor(connection: MysqlConnection, socket: SessionSocket, version: string) {
    this.#connection = connection
    this.#socket = socket
    this.version = version
    const over = (): void => {
      this.#usable = false
    }
    connection.on('error', over)
    connection.on('end', over)
  }

  get usable(): boolean {
    return this.#usable
  }

  /** @throws DatabaseError */
  async query(text: string): Promise<readonly MysqlRow[]> {
    this.#socket.expectAnswer()
    try {
      return rowsOf(await this.#connection.query(text))
    } catch (error) {
      const failure = statementFailure(error)
      if (failure.reason !== 'statement') this.#usable = false
      throw failure
    }
  }

  /** Whether a user has this name, at any host. Undefined if the login may not read the table of users. */
  async hasUser(name: string): Promise<boolean | undefined> {
    try {
      return (await this.query(substitute(FIND, mysqlScanner, { name }))).length > 0
    } catch (error) {
      if (error instanceof DatabaseError && SELECT_DENIED.test(error.code ?? '')) return undefined
      throw error
    }
  }

  /** Returns the name and host of the account that the server has assigned to this session's login. */
  async account(): Promise<{ readonly name: string; readonly host: string }> {
    const [row] = await this.query('SELECT CURRENT_USER() AS account')
    const account = String(row?.['account'])
    const at = account.lastIndexOf('@')
    return { name: account.slice(0, at), host: account.slice(at + 1) }
  }

  end(): Promise<void> {
    this.#usable = false
    return this.#socket.endAfter(this.#connection.end())
  }

  destroy(): void {
    this.#usable = false
    this.#socket.destroy()
  }
}

async function logIn(
  mysql2: MysqlModule,
  target: MysqlTarget,
  address: MysqlAddress,
  tls: boolean,
  signal: AbortSignal,
): Promise<MysqlSession> {
  const socket = new SessionSocket()
  const verified = target.tls === 'verified'
  const options = {
    // The host is used only to verify the certificate; `stream` connects the socket.
    host: target.serverName || ('host' in address ? address.host : 'localhost'),
    user: target.user,
    password: target.password,
    ...(target.database && { database: target.database }),
    charset: 'utf8mb4',
    multipleStatements: false,
    // Disable this capability, because with it the server could request local files.
    flags: ['-LOCAL_FILES'],
    connectTimeout: 0,
    ...(tls && { ssl: { ...target.certificates, rejectUnauthorized: verified, verifyIdentity: verified } }),
    stream: () => {
      const made = socket.make().setNoDelay(true).setKeepAlive(true)
      return 'path' in address ? made.connect(address.path) : made.connect(address.port, address.host)
    },
  }
  try {
    return await untilAborted(
      signal,
      () => socket.destroy(),
      async () => {
        const connection = await mysql2.createConnection(options)
        // Without a listener an error would end the process.
        connection.on('error', () => undefined)
        const [row] = rowsOf(await connection.query('SELECT VERSION() AS version, @@SESSION.sql_mode AS mode'))
        const modes = String(row?.['mode']).split(',')
        const kept = modes.filter((mode) => !QUOTING.test(mode) && /^\w+$/.test(mode))
        await connection.query(`SET SESSION sql_mode = '${kept.join(',')}', SESSION time_zone = '+00:00'`)
        return new MysqlSession(connection, socket, String(row?.['version']))
      },
    )
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function logInAt(
  mysql2: MysqlModule,
  target: MysqlTarget,
  address: MysqlAddress,
  signal: AbortSignal,
): Promise<MysqlSession> {
  try {
    return await logIn(mysql2, target, address, target.tls !== 'off', signal)
  } catch (error) {
    const without = target.tls === 'preferred' && (error as { readonly code?: unknown }).code === 'HANDSHAKE_NO_SSL_SUPPORT'
    if (!without) throw error
    return logIn(mysql2, target, address, false, signal)
  }
}

/**
 * Logs in at the first address that can be reached.
 * @throws DatabaseError The error of the first address that failed.
 */
export async function openMysqlSession(mysql2: MysqlModule, target: MysqlTarget, signal: AbortSignal): Promise<MysqlSession> {
  let first: DatabaseError | undefined
  for (const address of target.addresses)
    try {
      return await logInAt(mysql2, target, address, signal)
    } catch (error) {
      const failure = loginFailure(error)
      first ??= failure
      if (signal.aborted || failure.reason !== 'connection') break
    }
  throw first!
}
