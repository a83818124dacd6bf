/** What users of the originals reported, each on a real PostgreSQL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passwordPostgresMissing as why } from '../../fixtures/servers/postgres.ts'
import { CREATION, literal, type OnPostgresql, quoted, startOnPostgresql } from './on-postgresql.ts'

describe.skipIf(why !== undefined)(`reports, on PostgreSQL${why ? ` (skipped: ${why})` : ''}`, () => {
  let on: OnPostgresql
  beforeAll(async () => {
    on = await startOnPostgresql()
  })
  afterAll(() => on?.[Symbol.asyncDispose]())

  describe.each([
    ['vault#21610: `?` and `#`', 'pass?word#1'],
    ['vault#29377: `%` before digits', '50%25off%zz'],
    ['vault#6092: `@` and `/`', 'p@ss/w@rd:5432/x'],
    ['vault#6752: `{` and `}`', '{{password}x}{a}'],
    ['vault#7834: quotes and backslashes', String.raw`a'b"c\'d\\`],
  ])('%s in the name and the password of a connection’s user', (report, text) => {
    it('logs in, makes users, and can be rotated', async () => {
      const login = { username: `${text} ${report.slice(6, 10)}`, password: text }
      await on.root.query(`CREATE ROLE ${quoted(login.username)} SUPERUSER LOGIN PASSWORD ${literal(login.password)}`)
      await using world = await on.open({ details: login })
      await world.writeApp()
      await world.kernel.database.rotateRoot({ name: 'pg' })
      expect(await on.server.login(login.username, login.password)).toBe(false)
      const made = await world.creds()
      expect(await on.server.login(made.username, made.password)).toBe(true)
    })
  })

  describe.each([
    [
      'vault#1619: `;` in the body of a function',
      `CREATE OR REPLACE FUNCTION of_users() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END; $$; ${CREATION}`,
    ],
    [
      'vault#6098: a DO block',
      `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'readers') THEN CREATE ROLE readers; END IF; END $$; ${CREATION}`,
    ],
    ['vault#31369: `;` in a comment', `-- makes it; really\n${CREATION}; /* the end; of it */`],
    ['openbao#3991: `;` within quotes', `${CREATION}; COMMENT ON ROLE "{{name}}" IS 'made; by "us"; '`],
  ])('%s', (_, statement) => {
    it('is one statement when a user is made', async () => {
      await using world = await on.open()
      await world.writeApp({ creation_statements: [statement] })
      const made = await world.creds()
      expect(await on.server.login(made.username, made.password)).toBe(true)
      await world.kernel.leases.revokeLease({ lease_id: made.lease_id, sync: true })
      expect(await on.exists(made.username)).toBe(false)
    })

    it('is one statement when a password is changed', async () => {
      await using world = await on.open()
      await on.addUser('rotated', 'first')
      const change = statement.replace(CREATION, `ALTER ROLE "{{name}}" WITH PASSWORD '{{password}}'`)
      const role = { name: 's', db_name: 'pg', username: 'rotated', rotation_period: 3600 }
      await world.kernel.database.writeStaticRole({ ...role, rotation_statements: [change] })
      const { username, password } = await world.staticCreds('s')
      expect(await on.server.login(username, password)).toBe(true)
    })
  })

  it('vault PR#8668: the sessions of a user end with it', async () => {
    await using world = await on.open()
    await world.writeApp()
    const login = await world.creds()
    const sessions = await Promise.all([on.session(login), on.session(login)])
    const ends = sessions.map((client) => new Promise<void>((resolve) => client.on('end', () => resolve())))
    await sessions[0]!.query('CREATE TEMPORARY TABLE t (id int)')
    await world.kernel.leases.revokeLease({ lease_id: login.lease_id, sync: true })
    await Promise.all(ends)
  })

  it('vault PR#29093: a user whose password is known is taken over as it is, and a wrong one is refused', async () => {
    await using world = await on.open()
    await on.addUser('adopted', 'known-1')
    const role = { name: 's', db_name: 'pg', username: 'adopted', rotation_period: 3600, skip_import_rotation: true }
    const wrong = world.kernel.database.writeStaticRole({ ...role, password: 'wrong' })
    await expect(wrong).rejects.toMatchObject({ status: 502 })
    await expect(world.kernel.database.readStaticRole({ name: 's' })).rejects.toMatchObject({ status: 404 })
    await world.kernel.database.writeStaticRole({ ...role, password: 'known-1' })
    expect(await world.staticCreds('s')).toEqual({ username: 'adopted', password: 'known-1' })
    expect(await on.server.login('adopted', 'known-1')).toBe(true)
    world.clock.advance(3_601_000)
    await world.kernel.tick()
    expect(await on.server.login('adopted', 'known-1')).toBe(false)
    const { username, password } = await world.staticCreds('s')
    expect(await on.server.login(username, password)).toBe(true)
  })

  it('vault#10026: a lease renewed beyond its first end is not revoked at that one, by the server neither', async () => {
    await using world = await on.open()
    await world.writeApp({ default_ttl: 2, max_ttl: 3600 })
    const made = await world.creds()
    const first = await on.validUntil(made.username)
    await world.kernel.leases.renewLease({ lease_id: made.lease_id, increment: 3000 })
    expect(await on.validUntil(made.username)).toBeGreaterThan(first + 2_900_000)
    world.clock.advance(2_900_000)
    await world.kernel.tick()
    expect(await on.server.login(made.username, made.password)).toBe(true)
    world.clock.advance(200_000)
    await world.kernel.tick()
    expect(await on.exists(made.username)).toBe(false)
  })
})
