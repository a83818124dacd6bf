/** Properties that only PostgreSQL has: grants, owners, transactional DDL, and root users that are not superusers. */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import type { ConnectionDetails, DatabaseConnection } from '../../../src/engines/database/port.ts'
import { SERVER_START_MS } from '../../fixtures/servers/once.ts'
import { type PasswordPostgres, passwordPostgresMissing, sharedPasswordPostgres } from '../../fixtures/servers/postgres.ts'

const why = passwordPostgresMissing
const plugin = postgresqlPlugin({ pg })
const signal = () => AbortSignal.timeout(60_000)
const HOUR_MS = 3_600_000
/** The sessions of the plugin in the database of this file. */
const OURS = `application_name = 'strongroom' AND datname = current_database()`
const CREATE = `CREATE ROLE "{{name}}" LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'`

describe.skipIf(why !== undefined)(why ? `roles of PostgreSQL (${why})` : 'roles of PostgreSQL', () => {
  let server: PasswordPostgres
  /** Roles belong to the whole server, so their names must be unique on the shared server. */
  let creator = ''
  let owner = ''
  let root: pg.Client
  let connection: DatabaseConnection
  let names = 0

  const details = (more: ConnectionDetails = {}): ConnectionDetails => ({
    connection_url: server.url,
    username: server.username,
    password: server.password,
    ...more,
  })
  const client = async (user: string, password: string): Promise<pg.Client> => {
    const opened = new pg.Client({ host: server.host, port: server.port, user, password, database: server.database, ssl: false })
    opened.on('error', () => undefined)
    await opened.connect()
    return opened
  }
  const create = async (...statements: string[]): Promise<string> => {
    const username = `v-role-${server.database}-${++names}`
    const credential = { type: 'password', password: 'p' } as const
    const user = {
      username,
      credential,
      statements: [CREATE, ...statements],
      rollback_statements: [],
      expiration: Date.now() + HOUR_MS,
    }
    await connection.createUser(user, signal())
    return username
  }
  const drop = (username: string, ...statements: string[]) => connection.deleteUser({ username, statements }, signal())
  const exists = async (name: string) => (await root.query('SELECT FROM pg_roles WHERE rolname = $1', [name])).rowCount === 1

  beforeAll(async () => {
    server = await sharedPasswordPostgres()
    creator = `creator_${server.database}`
    owner = `owner_${server.database}`
    root = await client(server.username, server.password)
    await root.query(`CREATE ROLE ${owner}; CREATE TABLE theirs (id int, secret int); ALTER TABLE theirs OWNER TO ${owner};
      CREATE ROLE ${creator} LOGIN CREATEROLE PASSWORD 'creator';
      CREATE TABLE ours (id int); ALTER TABLE ours OWNER TO ${creator};
      CREATE SCHEMA other AUTHORIZATION ${creator};
      CREATE SEQUENCE other.s; ALTER SEQUENCE other.s OWNER TO ${creator};
      CREATE FUNCTION other.f(text, int) RETURNS int LANGUAGE sql AS 'SELECT 1; SELECT 2'; ALTER FUNCTION other.f OWNER TO ${creator}; GRANT CREATE ON SCHEMA public TO ${creator}`)
  }, SERVER_START_MS)
  afterAll(async () => {
    await root?.end()
    // Dropping the database also drops the objects of these roles.
    await server?.stop()
  })

  describe.each(['a superuser', 'a role with CREATEROLE'])('created by %s', (kind) => {
    beforeEach(async () => {
      const own = kind === 'a superuser' ? {} : { username: creator, password: 'creator' }
      connection = await plugin.connect(details(own), signal())
    })
    afterEach(() => connection.close())

    it('can be dropped although they have grants on every kind of object', async () => {
      const name = await create(
        'GRANT SELECT, INSERT ON ours TO "{{name}}"; GRANT SELECT (id) ON ours TO "{{name}}"',
        'GRANT USAGE ON SCHEMA other TO "{{name}}"',
        'GRANT USAGE ON SEQUENCE other.s TO "{{name}}"',
        'GRANT EXECUTE ON FUNCTION other.f TO "{{name}}"',
        'ALTER DEFAULT PRIVILEGES IN SCHEMA other GRANT SELECT ON TABLES TO "{{name}}"',
      )
      const own = await client(name, 'p')
      await own.query("INSERT INTO ours VALUES (1); SELECT * FROM ours; SELECT other.f('', 1)")
      await expect(own.query('SELECT * FROM theirs')).rejects.toThrow('permission denied')
      await expect(own.query('DELETE FROM ours')).rejects.toThrow('permission denied')
      await own.end()
      await drop(name)
      expect(await exists(name)).toBe(false)
      await drop(name)
    })

    it('lose their open sessions when they are dropped, even with temporary tables', async () => {
      const name = await create()
      const own = await client(name, 'p')
      await own.query('CREATE TEMPORARY TABLE t (id int)')
      const ended = new Promise<void>((resolve) => own.on('end', () => resolve()))
      await drop(name)
      await ended
      await expect(client(name, 'p')).rejects.toThrow()
    })

    it('lose login, sessions and grants if they cannot be dropped because they own an object', async () => {
      const name = await create('GRANT SELECT ON ours TO "{{name}}"')
      await root.query(`CREATE TABLE owned_${names} (id int); ALTER TABLE owned_${names} OWNER TO "${name}"`)
      const own = await client(name, 'p')
      const ended = new Promise<void>((resolve) => own.on('end', () => resolve()))
      for (let attempt = 0; attempt < 2; attempt++)
        await expect(drop(name)).rejects.toMatchObject({ reason: 'statement', code: '2BP01' })
      await ended
      await expect(client(name, 'p')).rejects.toMatchObject({ code: '28000' })
      const { rows } = await root.query(`SELECT has_table_privilege($1, 'ours', 'SELECT') AS reads`, [name])
      expect(rows).toEqual([{ reads: false }])
      await root.query(`DROP TABLE owned_${names}`)
      await drop(name)
      expect(await exists(name)).toBe(false)
    })

    it('lose login and sessions but keep their grants if the server refuses the given revocation statements', async () => {
      const name = await create('GRANT SELECT ON ours TO "{{name}}"')
      const own = await client(name, 'p')
      const ended = new Promise<void>((resolve) => own.on('end', () => resolve()))
      await expect(drop(name, 'DROP ROLE "{{name}}"')).rejects.toMatchObject({ reason: 'statement', code: '2BP01' })
      await ended
      await expect(client(name, 'p')).rejects.toMatchObject({ code: '28000' })
      expect((await root.query(`SELECT has_table_privilege($1, 'ours', 'SELECT') AS reads`, [name])).rows).toEqual([
        { reads: true },
      ])
      await drop(name)
      expect(await exists(name)).toBe(false)
    })

    it('can change their own password, after which the old password is refused', async () => {
      const username = kind === 'a superuser' ? `other_root_${server.database}` : creator
      if (kind === 'a superuser') await root.query(`CREATE ROLE ${username} SUPERUSER LOGIN PASSWORD 'creator'`)
      const own = await plugin.connect(details({ username, password: 'creator' }), signal())
      const password = `n'e"w\\;$$%@:/?#{{x}}é`
      await own.updateUser({ username, credential: { type: 'password', password }, statements: [] }, signal())
      await own.close()
      await expect(plugin.connect(details({ username, password: 'creator' }), signal())).rejects.toMatchObject({
        reason: 'auth',
        code: '28P01',
      })
      const again = await plugin.connect(details({ username, password }), signal())
      await again.updateUser({ username, credential: { type: 'password', password: 'creator' }, statements: [] }, signal())
      await again.close()
    })
  })

  describe('with custom statements', () => {
    beforeEach(async () => {
      connection = await plugin.connect(details(), signal())
    })
    afterEach(() => connection.close())

    it('are not created if one statement fails: the other statements are rolled back', async () => {
      const half = `half_${server.database}`
      const failing = create(`CREATE ROLE ${half}`, 'GRANT SELECT ON no_such_table TO "{{name}}"')
      await expect(failing).rejects.toMatchObject({ reason: 'statement', code: '42P01' })
      expect(await exists(half)).toBe(false)
    })

    it('can be dropped twice, but statements that name another missing role fail', async () => {
      const name = await create()
      await expect(drop(name, 'DROP ROLE "no such role"')).rejects.toMatchObject({ reason: 'statement', code: '42704' })
      expect(await exists(name)).toBe(true)
      await drop(name, 'DROP ROLE "{{name}}"')
      await drop(name, 'DROP ROLE "{{name}}"')
      expect(await exists(name)).toBe(false)
    })

    it('get a new password by a DO block and a new expiration by a renewal statement (vault#31369)', async () => {
      const name = await create()
      const block = `DO $$ BEGIN EXECUTE format('ALTER ROLE %I PASSWORD %L', '{{name}}', '{{password}}'); END $$; SELECT 1`
      const password = `$$';--`
      await connection.updateUser({ username: name, credential: { type: 'password', password }, statements: [block] }, signal())
      await (await client(name, password)).end()
      const renew = [`ALTER ROLE "{{username}}" VALID UNTIL '{{expiration}}'`]
      await connection.updateUser({ username: name, expiration: Date.UTC(2040, 0, 2, 3, 4, 5), statements: renew }, signal())
      const { rows } = await root.query(
        `SELECT to_char(rolvaliduntil AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS t FROM pg_roles WHERE rolname = $1`,
        [name],
      )
      expect(rows).toEqual([{ t: '2040-01-02 03:04:05' }])
      await drop(name)
    })

    it('are not changed by creation statements if they already exist', async () => {
      const name = await create()
      const credential = { type: 'password', password: 'q' } as const
      const statements = [`DO $$ BEGIN NULL; END $$; ALTER ROLE "{{name}}" PASSWORD '{{password}}'`]
      const again = { username: name, credential, statements, rollback_statements: [], expiration: Date.now() + HOUR_MS }
      await expect(connection.createUser(again, signal())).rejects.toMatchObject({ reason: 'statement', code: '42710' })
      await (await client(name, 'p')).end()
      await drop(name)
    })
  })

  it('are created with scram-sha-256 verifiers instead of passwords if so configured', async () => {
    connection = await plugin.connect(details({ password_authentication: 'scram-sha-256' }), signal())
    const name = await create(`COMMENT ON ROLE "{{name}}" IS '{{password}}'`)
    const { rows } = await root.query(`SELECT shobj_description(oid, 'pg_authid') AS told FROM pg_roles WHERE rolname = $1`, [
      name,
    ])
    expect((rows[0] as { told: string }).told).toMatch(/^SCRAM-SHA-256\$4096:/)
    await (await client(name, 'p')).end()
    await drop(name)
    await connection.close()
  })

  it('are created over at most the configured number of connections', async () => {
    const open = async () => (await root.query(`SELECT FROM pg_stat_activity WHERE ${OURS}`)).rowCount
    connection = await plugin.connect(details({ max_open_connections: 3, max_idle_connections: 2 }), signal())
    const calls = Array.from({ length: 12 }, () => create('SELECT pg_sleep(0.05)'))
    const seen: (number | null)[] = []
    const done = Promise.all(calls)
    for (let i = 0; i < 5; i++) seen.push(await open())
    const made = await done
    expect(Math.max(...seen.map(Number))).toBeLessThanOrEqual(3)
    await expect.poll(open, { timeout: 60_000 }).toBe(2)
    await Promise.all(made.map((name) => drop(name)))
    await connection.close()
    await expect.poll(open, { timeout: 60_000 }).toBe(0)
  })

  it('cannot be managed if sslmode requires TLS and the server has no TLS', async () => {
    const url = server.url.replace('sslmode=disable', 'sslmode=')
    for (const mode of ['prefer', 'allow'])
      await (await plugin.connect(details({ connection_url: url + mode }), signal())).close()
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      await expect(plugin.connect(details({ connection_url: url + mode }), signal())).rejects.toMatchObject({
        reason: 'connection',
      })
  })

  it('are created at the second host of the URL if the first does not answer', async () => {
    const { host, port } = server
    const url = server.url.replace(`@${host}:${port}`, `@127.0.0.1:1,${host}:${port}`)
    connection = await plugin.connect(details({ connection_url: `${url}&target_session_attrs=read-write` }), signal())
    await drop(await create())
    await connection.close()
  })

  it('can be created and dropped after the server has ended all sessions', async () => {
    connection = await plugin.connect(details(), signal())
    await root.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OURS}`)
    const open = async () => (await root.query(`SELECT FROM pg_stat_activity WHERE ${OURS}`)).rowCount
    await expect.poll(open, { timeout: 60_000 }).toBe(0)
    // The client may notice the end of its session only after the first call that uses it.
    await vi.waitFor(async () => drop(await create()), { timeout: 60_000, interval: 5 })
    await connection.close()
  })
})
