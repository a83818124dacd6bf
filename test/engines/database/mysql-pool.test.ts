/** Uses a real server while the credentials change. */
import callbacks from 'mysql2'
import mysql2, { type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { mysqlPlugin, mysqlPool } from '../../../src/adapters/database-mysql/index.ts'
import { createDevKernel } from '../../../src/index.ts'
import { movingClock } from '../../fixtures/moving-clock.ts'
import { startMariaDb, mariaDbMissing as why } from '../../fixtures/servers/mariadb.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'
import { underLoad } from './pools.ts'

const CREATION = `CREATE USER '{{name}}'@'%' IDENTIFIED BY '{{password}}'`

describe.skipIf(why !== undefined)(`mysqlPool${why ? ` (skipped: ${why})` : ''}`, () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMariaDb()
  })
  afterAll(() => server?.stop())

  const config = (connectionLimit = 4) => ({ host: server.host, port: server.port, connectionLimit })
  const open = async () => {
    const clock = movingClock()
    const kernel = await createDevKernel({ clock, ports: { databases: { mysql: mysqlPlugin({ mysql2 }) } } })
    const { url: connection_url, username, password } = server
    const details = { connection_url, username, password, allowed_roles: ['*'] }
    await kernel.database.writeConnection({ name: 'db', plugin_name: 'mysql', ...details })
    const ttls = { default_ttl: 60, max_ttl: 60 }
    await kernel.database.writeRole({ name: 'app', db_name: 'db', creation_statements: [CREATION], ...ttls })
    return { clock, kernel, database: kernel.database, [Symbol.asyncDispose]: () => kernel.close() }
  }
  const nameBy = async (query: Promise<[RowDataPacket[], unknown]>) => (await query)[0][0]!['name'] as string
  const whoAmI = 'SELECT USER() AS name'

  it('changes to new users under load without a failed query', async () => {
    await using world = await open()
    const source = world.database.credentialSource({ role: 'app' })
    const pool = mysqlPool({ mysql2, source, config: config() })
    const users = new Set<string>()
    const load = underLoad(8, async () => users.add(await nameBy(pool.query<RowDataPacket[]>(whoAmI))))
    for (let turn = 0; turn < 12; turn++) {
      await load.more(8)
      world.clock.advance(10_000)
      await world.kernel.tick()
    }
    const { done, failed } = await load.stop(100)
    await pool.end()
    expect(failed).toEqual([])
    expect(done).toBeGreaterThan(100)
    expect(users.size).toBeGreaterThanOrEqual(3)
  })

  it('uses new passwords of a static user under load without a failed query', async () => {
    await using world = await open()
    const { username } = await world.database.creds({ name: 'app' })
    await world.database.writeStaticRole({ name: 's', db_name: 'db', username, rotation_period: 3600 })
    const source = world.database.credentialSource({ static_role: 's' })
    const pool = mysqlPool({ mysql2, source, config: config() })
    const load = underLoad(8, async () => {
      const connection = await pool.getConnection()
      await connection.query(whoAmI)
      // The next connection logs in again.
      connection.destroy()
    })
    for (let turn = 0; turn < 6; turn++) {
      await load.more(4)
      await world.database.rotateRole({ name: 's' })
    }
    const { done, failed } = await load.stop(50)
    await pool.end()
    expect(failed).toEqual([])
    expect(done).toBeGreaterThan(50)
  })

  it('keeps a checked-out connection open while new connections use a newer user', async () => {
    await using world = await open()
    const source = world.database.credentialSource({ role: 'app' })
    const pool = mysqlPool({ mysql2, source, config: config(1) })
    const first = await pool.getConnection()
    const before = await nameBy(first.query<RowDataPacket[]>(whoAmI))
    world.clock.advance(50_000)
    await world.kernel.tick()
    expect(await nameBy(pool.execute<RowDataPacket[]>(whoAmI))).not.toBe(before)
    expect(await nameBy(first.query<RowDataPacket[]>(whoAmI))).toBe(before)
    first.release()
    await pool.end()
    await expect(first.query('SELECT 1')).rejects.toThrow()
    await expect(pool.query('SELECT 1')).rejects.toThrow(TypeError)
  })

  it('has the API of a mysql2 pool, with promises and with callbacks', async () => {
    await using world = await open()
    const source = world.database.credentialSource({ role: 'app' })
    const settings: mysql2.PoolOptions = { ...config(), user: 'replaced', password: 'replaced' }
    const pool: mysql2.Pool = mysqlPool({ mysql2, source, config: settings })
    const events: string[] = []
    pool.on('connection', () => events.push('connection'))
    pool.on('release', () => events.push('release'))
    const { username } = await source.current()
    expect(await nameBy(pool.query<RowDataPacket[]>(whoAmI))).toContain(`${username}@`)
    expect(events).toEqual(['connection', 'release'])
    await pool.end()
    await pool.end()

    const withCallbacks: callbacks.Pool = mysqlPool({
      mysql2: callbacks,
      source,
      config: { ...settings, uri: `mysql://u:p@${server.host}` },
    })
    const rows = await new Promise<callbacks.RowDataPacket[]>((resolve, reject) =>
      withCallbacks.query<callbacks.RowDataPacket[]>(whoAmI, (error, found) => (error ? reject(error) : resolve(found))),
    )
    expect(rows[0]!['name']).toContain(`${username}@`)
    const connection = await withCallbacks.promise().getConnection()
    connection.release()
    await new Promise((resolve) => withCallbacks.end(resolve))
  })

  it('rejects the next query of a connection whose user was revoked, and makes later queries as a new user', async () => {
    await using world = await open()
    const source = world.database.credentialSource({ role: 'app' })
    const pool = mysqlPool({ mysql2, source, config: config() })
    const connection = await pool.getConnection()
    await connection.query('START TRANSACTION')
    await world.kernel.leases.revokePrefix({ prefix: 'database/creds/app', sync: true })
    await vi.waitFor(() => expect(connection.query('SELECT 1')).rejects.toThrow(Error), { timeout: 60_000, interval: 20 })
    connection.release()
    expect((await pool.query<RowDataPacket[]>('SELECT 1 AS one'))[0]).toEqual([{ one: 1 }])
    await pool.end()
  })
})
