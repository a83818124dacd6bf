/** Reported defects of Vault and OpenBao, tested on a real PostgreSQL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passwordPostgresMissing as why } from '../../fixtures/servers/postgres.ts'
import { CREATION, literal, type OnPostgresql, quoted, startOnPostgresql } from './on-postgresql.ts'

describe.skipIf(why !== undefined)(`the database engine on PostgreSQL${why ? ` (skipped: ${why})` : ''}`, () => {
  let on: OnPostgresql
  beforeAll(async () => {
    on = await startOnPostgresql()
  })
  afterAll(() => on?.[Symbol.asyncDispose]())

  it.each([
    ['vault#21610: connects with a root password that contains `@` and `/`', 'maker-1', 'p@ss/w@rd'],
    ['vault#6092: connects with a root name and password that contain `{` and `}`', 'maker{2}', '6ab*{DE*f1}'],
    ['vault#6752: connects with a root password that contains `#`', 'maker-3', 'root#'],
  ])('%s', async (_, username, password) => {
    await on.root.query(`CREATE ROLE ${quoted(username)} SUPERUSER LOGIN PASSWORD ${literal(password)}`)
    await using world = await on.open({ details: { username, password } })
    await world.writeApp()
    const made = await world.creds()
    expect(await on.server.login(made.username, made.password)).toBe(true)
    await world.kernel.database.rotateRoot({ name: 'pg' })
    expect(await on.server.login(username, password)).toBe(false)
  })

  it.each([
    [
      'vault#1619: runs a DO block before other statements in one string',
      [
        `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'foo') THEN CREATE ROLE foo; END IF; END $$; ${CREATION}`,
      ],
    ],
    [
      'vault#6098: runs a DO block as one of several statements',
      [
        `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'foo') THEN CREATE ROLE foo; END IF; END $$`,
        CREATION,
        'GRANT foo TO "{{name}}"',
      ],
    ],
  ])('%s', async (_, creation_statements) => {
    await using world = await on.open()
    await world.writeApp({ creation_statements })
    const made = await world.creds()
    expect(await on.server.login(made.username, made.password)).toBe(true)
    await world.kernel.leases.revokeLease({ lease_id: made.lease_id, sync: true })
    expect(await on.exists(made.username)).toBe(false)
  })

  it.each([
    [
      'vault#31369: runs a DO block that changes a password',
      `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{{name}}') THEN
         CREATE ROLE "{{name}}" LOGIN PASSWORD '{{password}}';
       ELSE ALTER ROLE "{{name}}" LOGIN PASSWORD '{{password}}'; END IF; END $$`,
    ],
    [
      'openbao#3991: runs a DO block and a quoted `;` together with a password change',
      `DO $$ BEGIN PERFORM 1; END $$; COMMENT ON ROLE "{{name}}" IS 'changed; by us;'; ALTER ROLE "{{name}}" PASSWORD '{{password}}';`,
    ],
  ])('%s', async (_, statement) => {
    await using world = await on.open()
    await on.addUser('rotated', 'first')
    const role = { name: 's', db_name: 'pg', username: 'rotated', rotation_period: 3600 }
    await world.kernel.database.writeStaticRole({ ...role, rotation_statements: [statement] })
    const { username, password } = await world.staticCreds('s')
    expect([await on.server.login(username, password), await on.server.login(username, 'first')]).toEqual([true, false])
  })

  it('vault PR#8668: ends all sessions of a revoked user, including those that assumed another role', async () => {
    await using world = await on.open()
    await on.root.query('DROP ROLE IF EXISTS assumed; CREATE ROLE assumed')
    await world.writeApp({ creation_statements: [CREATION, 'GRANT assumed TO "{{name}}"'] })
    const login = await world.creds()
    const sessions = await Promise.all([on.session(login), on.session(login)])
    const ends = sessions.map((client) => new Promise<void>((resolve) => client.on('end', () => resolve())))
    await sessions[0]!.query('CREATE TEMPORARY TABLE t (id int)')
    await sessions[1]!.query('SET ROLE assumed')
    await world.kernel.leases.revokeLease({ lease_id: login.lease_id, sync: true })
    await Promise.all(ends)
  })

  it('vault PR#29093: adopts a user together with its given password, and refuses a wrong password', async () => {
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

  it('vault#10026: extends VALID UNTIL when a lease is renewed, and keeps the user until the renewed lease expires', async () => {
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
