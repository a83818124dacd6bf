/**
 * Uses every client that strongroom opens or hands out while the server ends a session at one answer after the other, and reports how each use
 * went. Started by ended-sessions.slow.test.ts: an `error` event without a listener ends this process.
 */
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import { mysqlPool } from '../../../src/adapters/database-mysql/index.ts'
import { postgresqlPlugin, postgresqlPool } from '../../../src/adapters/database-postgresql/index.ts'
import { postgresqlStorage } from '../../../src/adapters/storage-postgresql/index.ts'
import { childArguments, send } from '../../fixtures/child-side.ts'
import { startEndingProxy } from '../../fixtures/servers/ending-proxy.ts'

interface Server {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
  readonly database?: string
}

const { postgresql, mariaDb } = childArguments<{ readonly postgresql: Server; readonly mariaDb?: Server }>()
const MAX_ANSWERS = 8

const aTurn = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20))
const outcome = (work: Promise<unknown>): Promise<'resolved' | 'rejected'> =>
  work.then(
    () => 'resolved',
    () => 'rejected',
  )
const sourceOf = ({ username, password }: Server) => {
  const login = async () => ({ username, password })
  return { current: login, refresh: login, onChange: () => () => undefined }
}
const proxy = await startEndingProxy(postgresql.host, postgresql.port)
const config = { host: '127.0.0.1', port: proxy.port, database: postgresql.database ?? '', max: 4 }

const uses: Record<string, () => Promise<unknown>> = {
  async 'a client of postgresqlPool'() {
    const pool = postgresqlPool({ pg, source: sourceOf(postgresql), config })
    const client = await pool.connect().catch(() => undefined)
    await aTurn()
    for (const text of ['BEGIN', 'SELECT 1', 'COMMIT']) await outcome(client?.query(text) ?? Promise.resolve())
    await aTurn()
    client?.release()
    const again = await outcome(pool.query('SELECT 1'))
    await pool.end()
    return again
  },
  async 'the storage'() {
    const pool = new pg.Pool({ ...config, user: postgresql.username, password: postgresql.password })
    const storage = postgresqlStorage({ pool, table: 'ended_sessions', pollMs: 5, heartbeatMs: 10 })
    const put = (key: string) => ({ op: 'put', key, value: new Uint8Array(8) }) as const
    const all = await Promise.all(
      [storage.watch('', 0, () => undefined), storage.commit([put('a')], `${Math.random()}`), storage.get('a')].map(outcome),
    )
    await aTurn()
    await storage.close()
    await pool.end()
    return all.includes('rejected') ? 'rejected' : 'resolved'
  },
  async 'a connection of postgresqlPlugin'() {
    const { host, port, database } = config
    const details = {
      connection_url: `postgresql://{{username}}:{{password}}@${host}:${port}/${database}?sslmode=disable`,
      username: postgresql.username,
      password: postgresql.password,
    }
    const signal = AbortSignal.timeout(30_000)
    const connection = await postgresqlPlugin({ pg })
      .connect(details, signal)
      .catch(() => undefined)
    await aTurn()
    const drop = { username: 'no_such_role', statements: [] }
    const deletion = await outcome(connection?.deleteUser(drop, signal) ?? Promise.reject())
    await connection?.close()
    return deletion
  },
}

for (const [use, run] of Object.entries(uses))
  for (let answer = 1; answer <= MAX_ANSWERS; answer++) {
    proxy.endAt(answer)
    const result = await run()
    await aTurn()
    send({ use, answer, ended: proxy.ended, result })
  }
await proxy.stop()

/** The server ends the session by the given statement while a client holds it. */
async function terminated(
  use: string,
  client: { query(text: string): Promise<unknown>; release(): void },
  end: () => Promise<unknown>,
): Promise<void> {
  await client.query('BEGIN')
  await end()
  await aTurn()
  const result = await outcome(client.query('SELECT 1'))
  send({ use, ended: true, result })
  client.release()
}

const direct = { ...config, host: postgresql.host, port: postgresql.port }
const pool = postgresqlPool({ pg, source: sourceOf(postgresql), config: direct })
const client = await pool.connect()
const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
await terminated('a session that PostgreSQL ends', client, () => pool.query(`SELECT pg_terminate_backend(${rows[0]?.pid})`))
await pool.end()

if (mariaDb) {
  const { host, port } = mariaDb
  const pool = mysqlPool({ mysql2, source: sourceOf(mariaDb), config: { host, port } })
  const connection = await pool.getConnection()
  await terminated('a session that MariaDB ends', connection, () => pool.query(`KILL ${connection.threadId}`))
  await pool.end()
}
