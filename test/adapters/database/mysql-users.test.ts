/**
 * Properties that only MySQL and MariaDB have: hosts of accounts, statements that commit implicitly, SQL modes, and sessions that outlive
 * their user.
 */
import mysql2 from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { mysqlPlugin } from '../../../src/adapters/database-mysql/index.ts'
import type { ConnectionDetails, DatabaseConnection } from '../../../src/engines/database/port.ts'
import { mariaDbMissing, startMariaDb } from '../../fixtures/servers/mariadb.ts'
import { SERVER_START_MS } from '../../fixtures/servers/once.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'

const why = mariaDbMissing
const plugin = mysqlPlugin({ mysql2 })
const signal = () => AbortSignal.timeout(60_000)
const CREATE = `CREATE USER '{{name}}'@'%' IDENTIFIED BY '{{password}}'`

describe.skipIf(why !== undefined)(why ? `users of MariaDB (${why})` : 'users of MariaDB', () => {
  let server: DatabaseServer
  let root: mysql2.Connection
  let connection: DatabaseConnection
  const client = (user: string, password: string) =>
    mysql2.createConnection({ host: server.host, port: server.port, user, password })
  const details = (more: ConnectionDetails = {}): ConnectionDetails => ({
    connection_url: server.url,
    username: server.username,
    password: server.password,
    ...more,
  })
  const user = (username: string, ...statements: string[]) => ({
    username,
    credential: { type: 'password', password: 'p' } as const,
    statements,
    rollback_statements: [],
    expiration: Date.now() + 3_600_000,
  })
  const hostsOf = async (name: string) => {
    const [rows] = await root.query('SELECT Host FROM mysql.user WHERE User = ?', [name])
    return (rows as { Host: string }[]).map(({ Host }) => Host)
  }

  beforeAll(async () => {
    server = await startMariaDb()
    root = await client(server.username, server.password)
    connection = await plugin.connect(details(), signal())
  }, SERVER_START_MS)
  afterAll(async () => {
    await connection?.close()
    await root?.end()
    await server?.stop()
  })

  it('may have names of up to 128 characters', async () => {
    expect(connection.longest_name).toEqual({ count: 128, unit: 'characters' })
    const name = 'é'.repeat(128)
    await connection.createUser(user(name, CREATE), signal())
    expect(await server.login(name, 'p')).toBe(true)
    await connection.deleteUser({ username: name, statements: [] }, signal())
    expect(await hostsOf(name)).toEqual([])
  })

  it('are locked and lose their sessions if the server refuses the given revocation statements', async () => {
    const username = 'cannot-go'
    await connection.createUser(user(username, CREATE), signal())
    const own = await client(username, 'p')
    own.on('error', () => undefined)
    const statements = [`DROP USER '{{name}}'@'elsewhere'`]
    await expect(connection.deleteUser({ username, statements }, signal())).rejects.toMatchObject({ reason: 'statement' })
    await vi.waitFor(() => expect(own.query('SELECT 1')).rejects.toThrow(Error), { timeout: 60_000, interval: 20 })
    expect(await server.login(username, 'p')).toBe(false)
    expect(await hostsOf(username)).toEqual(['%'])
    await connection.deleteUser({ username, statements: [] }, signal())
    expect(await hostsOf(username)).toEqual([])
  })

  it('are removed if a later creation statement is refused, with default or custom rollback statements', async () => {
    const failing = `GRANT SELECT ON a.b TO 'nobody at all'@'%'`
    await expect(connection.createUser(user('half', CREATE, failing), signal())).rejects.toMatchObject({ reason: 'statement' })
    expect(await hostsOf('half')).toEqual([])
    const local = CREATE.replace('%', 'localhost')
    const own = { ...user('half', local, failing), rollback_statements: [`DROP USER '{{name}}'@'localhost'`] }
    await expect(connection.createUser(own, signal())).rejects.toMatchObject({ reason: 'statement' })
    expect(await hostsOf('half')).toEqual([])
  })

  it('are reported as possibly created if both creation and rollback fail', async () => {
    const own = { ...user('doubtful', CREATE, 'NOT SQL'), rollback_statements: ['NOT SQL EITHER'] }
    await expect(connection.createUser(own, signal())).rejects.toMatchObject({ reason: 'connection', code: 'ER_PARSE_ERROR' })
    await connection.deleteUser({ username: 'doubtful', statements: [] }, signal())
  })

  it('are not taken over by creation statements with IF NOT EXISTS if they already exist', async () => {
    await root.query(`CREATE USER 'there'@'localhost' IDENTIFIED BY 'x'`)
    const taking = CREATE.replace('USER', 'USER IF NOT EXISTS')
    await expect(connection.createUser(user('there', taking, 'NOT SQL'), signal())).rejects.toMatchObject({
      reason: 'statement',
      code: 'ER_CANNOT_USER',
    })
    expect(await hostsOf('there')).toEqual(['localhost'])
    // The default statement drops the account at host %, which is a different account.
    await expect(connection.deleteUser({ username: 'there', statements: [] }, signal())).rejects.toMatchObject({
      reason: 'statement',
    })
    await connection.deleteUser({ username: 'there', statements: [`DROP USER '{{name}}'@'localhost'`] }, signal())
    expect(await hostsOf('there')).toEqual([])
  })

  it('can be deleted by default or custom statements although they no longer exist (vault#1386)', async () => {
    for (const statements of [[], [`REVOKE ALL PRIVILEGES, GRANT OPTION FROM '{{name}}'@'%'`, `DROP USER '{{name}}'@'%'`]])
      await connection.deleteUser({ username: 'gone', statements }, signal())
    await expect(connection.deleteUser({ username: 'gone', statements: ['NOT SQL'] }, signal())).rejects.toMatchObject({
      code: 'ER_PARSE_ERROR',
    })
  })

  it('lose their open sessions when they are deleted', async () => {
    await connection.createUser(user('open', CREATE), signal())
    const own = await client('open', 'p')
    own.on('error', () => undefined)
    await connection.deleteUser({ username: 'open', statements: [] }, signal())
    await expect(own.query('SELECT 1')).rejects.toThrow()
    own.destroy()
  })

  it('can change their own password, whatever host their account has', async () => {
    await root.query(`CREATE USER 'local-root'@'127.0.0.1' IDENTIFIED BY 'first'`)
    await root.query(`GRANT CREATE USER ON *.* TO 'local-root'@'127.0.0.1'`)
    const own = await plugin.connect(details({ username: 'local-root', password: 'first' }), signal())
    const password = `n'e"w\\;$$%@:/?#{{x}}é`
    await own.updateUser({ username: 'local-root', credential: { type: 'password', password }, statements: [] }, signal())
    await own.close()
    await expect(plugin.connect(details({ username: 'local-root', password: 'first' }), signal())).rejects.toMatchObject({
      reason: 'auth',
      code: 'ER_ACCESS_DENIED_ERROR',
    })
    await (await plugin.connect(details({ username: 'local-root', password }), signal())).close()
    await root.query(`DROP USER 'local-root'@'127.0.0.1'`)
  })

  it('can be created by an account that cannot read mysql.user', async () => {
    await root.query(`CREATE USER 'maker'@'%' IDENTIFIED BY 'm'`)
    await root.query(`GRANT CREATE USER ON *.* TO 'maker'@'%'`)
    const maker = await plugin.connect(details({ username: 'maker', password: 'm' }), signal())
    await maker.createUser(user('made', CREATE), signal())
    await expect(maker.createUser(user('made', CREATE), signal())).rejects.toMatchObject({
      reason: 'statement',
      code: 'ER_CANNOT_USER',
    })
    expect(await server.login('made', 'p')).toBe(true)
    for (let i = 0; i < 2; i++) await maker.deleteUser({ username: 'made', statements: [] }, signal())
    expect(await hostsOf('made')).toEqual([])
    await maker.close()
  })
})
