/** Uses a real server while the credentials change. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { postgresqlPool } from '../../../src/adapters/database-postgresql/index.ts'
import { passwordPostgresMissing as why } from '../../fixtures/servers/postgres.ts'
import { type OnPostgresql, startOnPostgresql } from './on-postgresql.ts'
import { underLoad } from './pools.ts'

describe.skipIf(why !== undefined)(`postgresqlPool${why ? ` (skipped: ${why})` : ''}`, () => {
  let on: OnPostgresql
  beforeAll(async () => {
    on = await startOnPostgresql()
  })
  afterAll(() => on?.[Symbol.asyncDispose]())

  const config = (max = 4) => ({ host: on.server.host, port: on.server.port, database: on.server.database, max })
  const whoAmI = 'SELECT current_user AS name'

  it('changes to new users under load without a failed query', async () => {
    await using world = await on.open()
    await world.writeApp({ default_ttl: 60, max_ttl: 60 })
    const source = world.kernel.database.credentialSource({ role: 'app' })
    const pool = postgresqlPool({ pg, source, config: config() })
    const users = new Set<string>()
    const load = underLoad(8, async () => {
      const { rows } = await pool.query<{ name: string }>(whoAmI)
      users.add(rows[0]!.name)
    })
    for (let turn = 0; turn < 12; turn++) {
      await load.more(8)
      // Advances the kernel clock by ten seconds: leases expire, users are dropped, and their sessions end.
      world.clock.advance(10_000)
      await world.kernel.tick()
    }
    const { done, failed } = await load.stop(100)
    await pool.end()
    expect(failed).toEqual([])
    expect(done).toBeGreaterThan(100)
    expect(users.size).toBeGreaterThanOrEqual(3)
    await source.close()
  })

  it('uses new passwords of a static user under load without a failed query', async () => {
    await using world = await on.open()
    const { database } = world.kernel
    await on.addUser('pooled', 'first')
    await database.writeStaticRole({ name: 's', db_name: 'pg', username: 'pooled', rotation_period: 60 })
    const source = database.credentialSource({ static_role: 's' })
    // With few uses per connection, many logins coincide with a rotation.
    const pool = postgresqlPool({ pg, source, config: { ...config(), maxUses: 3 } })
    const load = underLoad(8, () => pool.query(whoAmI))
    for (let turn = 0; turn < 8; turn++) {
      await load.more(4)
      if (turn % 2) await database.rotateRole({ name: 's' })
      else {
        world.clock.advance(61_000)
        await world.kernel.tick()
      }
    }
    const { done, failed } = await load.stop(30)
    await pool.end()
    expect(failed).toEqual([])
    expect(done).toBeGreaterThan(30)
  })

  it('keeps a checked-out connection open while new connections use a newer user', async () => {
    await using world = await on.open()
    await world.writeApp({ default_ttl: 3600, max_ttl: 3600 })
    const source = world.kernel.database.credentialSource({ role: 'app' })
    const pool = postgresqlPool({ pg, source, config: config(1) })
    const first = await pool.connect()
    await first.query('BEGIN')
    const before = (await first.query<{ name: string; pid: number }>('SELECT current_user AS name, pg_backend_pid() AS pid'))
      .rows[0]!
    world.clock.advance(50 * 60_000)
    await world.kernel.tick()
    const after = (await pool.query<{ name: string }>(whoAmI)).rows[0]!
    expect(after.name).not.toBe(before.name)
    expect((await first.query<{ name: string }>(whoAmI)).rows[0]!.name).toBe(before.name)
    await first.query('COMMIT')
    first.release()
    // The replaced pool was waiting only for this client.
    const open = async () => (await on.root.query('SELECT FROM pg_stat_activity WHERE pid = $1', [before.pid])).rowCount
    await vi.waitFor(async () => expect(await open()).toBe(0), { timeout: 60_000, interval: 20 })
    await pool.end()
  })

  it('changes to a new user at the first query after the user was revoked', async () => {
    await using world = await on.open()
    await world.writeApp()
    const source = world.kernel.database.credentialSource({ role: 'app' })
    const pool = postgresqlPool({ pg, source, config: { ...config(), maxUses: 1 } })
    const name = async () => (await pool.query<{ name: string }>(whoAmI)).rows[0]!.name
    const first = await name()
    await world.kernel.leases.revokePrefix({ prefix: 'database/creds/app', sync: true })
    expect(await name()).not.toBe(first)
    await pool.end()
  })

  it('waits for released clients when it ends, and leaves no connection open', async () => {
    await using world = await on.open()
    await world.writeApp()
    const source = world.kernel.database.credentialSource({ role: 'app' })
    const pool = postgresqlPool({ pg, source, config: config() })
    const client = await pool.connect()
    const { username } = await source.current()
    let ended = false
    const end = pool.end().then(() => {
      ended = true
    })
    await client.query('SELECT 1')
    expect(ended).toBe(false)
    client.release()
    await end
    await expect(pool.query('SELECT 1')).rejects.toThrow(TypeError)
    const open = async () => (await on.root.query('SELECT FROM pg_stat_activity WHERE usename = $1', [username])).rowCount
    await vi.waitFor(async () => expect(await open()).toBe(0), { timeout: 60_000, interval: 20 })
  })

  it('rejects with the server’s error of a query and with the driver’s error of a connection', async () => {
    await using world = await on.open()
    await world.writeApp()
    const source = world.kernel.database.credentialSource({ role: 'app' })
    const pool = postgresqlPool({ pg, source, config: config() })
    await expect(pool.query('SELECT * FROM theirs')).rejects.toMatchObject({ code: '42501' })
    await pool.end()
    const nowhere = postgresqlPool({ pg, source, config: { ...config(), port: 1 } })
    await expect(nowhere.query('SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await nowhere.end()
  })

  it('has the API of a pg Pool: class, callbacks, events, counts and configuration', async () => {
    await using world = await on.open()
    await world.writeApp()
    const source = world.kernel.database.credentialSource({ role: 'app' })
    const settings: pg.PoolConfig = { ...config(), user: 'replaced', password: 'replaced' }
    const pool: pg.Pool = postgresqlPool({ pg, source, config: settings })
    expect(pool).toBeInstanceOf(pg.Pool)
    expect(pool.options.max).toBe(4)
    const events: string[] = []
    for (const event of ['connect', 'acquire', 'release', 'remove'] as const) pool.on(event, () => events.push(event))
    const { username } = await source.current()
    const name = await new Promise((resolve, reject) =>
      pool.connect((error, client, release) => {
        if (error || !client) return reject(error)
        void client.query<{ name: string }>(whoAmI, (failure, result) => {
          release()
          if (failure) reject(failure)
          else resolve(result.rows[0]!.name)
        })
      }),
    )
    expect(name).toBe(username)
    expect([pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0])
    expect(await new Promise((resolve) => pool.query(whoAmI, (_, { rows }) => resolve(rows)))).toEqual([{ name: username }])
    expect((await pool.query('SELECT $1::int AS n', [7])).rows).toEqual([{ n: 7 }])
    await new Promise<void>((resolve) => pool.end(resolve))
    // The driver resolves `end` before it emits `remove`.
    const emitted = new Set(['connect', 'acquire', 'release', 'remove'])
    await vi.waitFor(() => expect(new Set(events)).toEqual(emitted), { timeout: 60_000, interval: 5 })
    expect([pool.totalCount, pool.ending, pool.ended]).toEqual([0, true, true])
  })

  it('replaces the user and password in a configured connection string', async () => {
    const source = { current: async () => on.server, refresh: async () => on.server, onChange: () => () => undefined }
    const { host, port, database, username } = on.server
    const address = `${host}:${port}/${database}?application_name=by-url`
    for (const login of ['', 'theirs@', 'theirs:their%20password@', 'theirs:@']) {
      const pool = postgresqlPool({ pg, source, config: { connectionString: `postgresql://${login}${address}&user=theirs` } })
      const { rows } = await pool.query(`SELECT current_user AS name, current_setting('application_name') AS application`)
      expect(rows).toEqual([{ name: username, application: 'by-url' }])
      await pool.end()
    }
    for (const connectionString of ['', 'nonsense', 'socket:/var/run/postgresql?db=x', 'postgresql:///database'])
      expect(() => postgresqlPool({ pg, source, config: { connectionString } })).toThrow('config.connectionString')
  })

  it('rejects the next query of a client whose user was revoked, and makes later queries as a new user', async () => {
    await using world = await on.open()
    await world.writeApp()
    const source = world.kernel.database.credentialSource({ role: 'app' })
    const pool = postgresqlPool({ pg, source, config: config() })
    const client = await pool.connect()
    await client.query('BEGIN')
    await world.kernel.leases.revokePrefix({ prefix: 'database/creds/app', sync: true })
    await vi.waitFor(() => expect(client.query('SELECT 1')).rejects.toThrow(Error), { timeout: 60_000, interval: 20 })
    client.release()
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })
})
