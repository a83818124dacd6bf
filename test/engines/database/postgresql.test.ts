import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../src/testing/index.ts'
import { passwordPostgresMissing as why } from '../../fixtures/servers/postgres.ts'
import { CREATOR, type Login, type OnPostgresql, quoted, startOnPostgresql } from './on-postgresql.ts'

/** Contains every character with a meaning in URLs, SQL, templates or statement placeholders. */
const ODD = String.raw`a'b"c\d;e$$f$1%g%41@h:i/j?k#l{m}n{{o}}p&q=r äß漢🔑`
const ODD_POLICY = String.raw`length = 24
rule "charset" { charset = "'\"\\;$%@:/?#{}&= äß漢" min-chars = 20 }
rule "charset" { charset = "ab" }`

describe.skipIf(why !== undefined)(`the database engine on PostgreSQL${why ? ` (skipped: ${why})` : ''}`, () => {
  let on: OnPostgresql
  beforeAll(async () => {
    on = await startOnPostgresql()
  })
  afterAll(() => on?.[Symbol.asyncDispose]())

  const lets = ({ username, password }: Login) => on.server.login(username, password)

  describe.each([
    ['a superuser', {}],
    ['a role with CREATEROLE that does not own all tables', CREATOR],
  ])('with %s as root user', (_, details) => {
    it('creates a user with exactly the configured grants', async () => {
      await using world = await on.open({ details })
      await world.writeApp()
      const client = await on.session(await world.creds())
      await client.query('SELECT * FROM ours')
      await expect(client.query('SELECT * FROM theirs')).rejects.toThrow('permission denied')
      await expect(client.query('INSERT INTO ours VALUES (1)')).rejects.toThrow('permission denied')
      await expect(client.query('CREATE ROLE another')).rejects.toThrow('permission denied')
      await client.end()
    })

    it('extends VALID UNTIL when a lease is renewed', async () => {
      await using world = await on.open({ details })
      await world.writeApp()
      const { username, lease_id } = await world.creds()
      const before = await on.validUntil(username)
      world.clock.advance(1_800_000)
      const { lease_duration } = await world.kernel.leases.renewLease({ lease_id, increment: 3600 })
      expect(lease_duration).toBe(3600)
      const moved = (await on.validUntil(username)) - before
      expect(moved).toBeGreaterThanOrEqual(1_800_000)
      expect(moved).toBeLessThan(1_830_000)
    })

    it('ends the sessions of a user when the lease is revoked, and the user can no longer log in', async () => {
      await using world = await on.open({ details })
      await world.writeApp()
      const login = await world.creds()
      const client = await on.session(login)
      const ended = new Promise<void>((resolve) => client.on('end', () => resolve()))
      await world.kernel.leases.revokeLease({ lease_id: login.lease_id, sync: true })
      await ended
      expect(await lets(login)).toBe(false)
      expect(await on.exists(login.username)).toBe(false)
    })

    it('drops a user in the first tick after its lease has expired', async () => {
      await using world = await on.open({ details })
      await world.writeApp()
      const login = await world.creds()
      world.clock.advance(3_590_000)
      await world.kernel.tick()
      expect(await lets(login)).toBe(true)
      world.clock.advance(11_000)
      await world.kernel.tick()
      expect(await on.exists(login.username)).toBe(false)
    })

    it('keeps the lease of a user that owns a table until that table is dropped', async () => {
      await using world = await on.open({ details })
      await world.writeApp()
      const { username, lease_id } = await world.creds()
      await on.root.query(`CREATE TABLE owned (id int); ALTER TABLE owned OWNER TO ${quoted(username)}`)
      const refused = world.kernel.leases.revokeLease({ lease_id, sync: true })
      await expect(refused).rejects.toMatchObject({ status: 502, message: expect.stringContaining('2BP01') })
      expect(await on.exists(username)).toBe(true)
      const canLogIn = async () =>
        (await on.root.query('SELECT rolcanlogin AS can FROM pg_roles WHERE rolname = $1', [username])).rows[0].can
      expect(await canLogIn()).toBe(false)
      world.clock.advance(3_600_000)
      await world.kernel.tick()
      expect(await on.exists(username)).toBe(true)
      await on.root.query('DROP TABLE owned')
      world.clock.advance(3_600_000)
      await world.kernel.tick()
      expect(await on.exists(username)).toBe(false)
      await expect(world.kernel.leases.lookupLease({ lease_id })).rejects.toMatchObject({ status: 400 })
    })

    it('drops a user with grants on objects of other owners', async () => {
      await using world = await on.open({ details })
      await world.writeApp()
      const { username, lease_id } = await world.creds()
      const user = quoted(username)
      await on.root.query(`GRANT USAGE ON SCHEMA other TO ${user}; GRANT SELECT ON theirs TO ${user}`)
      const revoked = world.kernel.leases.revokeLease({ lease_id, sync: true })
      if (details !== CREATOR) await revoked
      else {
        // Only the owner can revoke these grants; the lease is kept until then.
        await expect(revoked).rejects.toMatchObject({ status: 502, message: expect.stringContaining('2BP01') })
        await on.root.query(`REVOKE ALL ON theirs FROM ${user}`)
        world.clock.advance(3_600_000)
        await world.kernel.tick()
      }
      expect(await on.exists(username)).toBe(false)
    })

    // GHSA-6vgr-cp5c-ffx3: an unquoted schema name became part of the statement.
    it('drops a user with grants in a schema whose name contains SQL', async () => {
      await using world = await on.open({ details })
      await world.writeApp()
      const { username, lease_id } = await world.creds()
      const schema = quoted(`s"; DROP SCHEMA other CASCADE; CREATE ROLE "planted`)
      await on.root.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}."t""; SELECT 1; --" (id int)`)
      try {
        await on.root.query(`GRANT USAGE ON SCHEMA ${schema} TO ${quoted(username)}`)
        await on.root.query(`GRANT SELECT ON ${schema}."t""; SELECT 1; --" TO ${quoted(username)}`)
        const revoked = world.kernel.leases.revokeLease({ lease_id, sync: true })
        // A role with CREATEROLE cannot revoke grants of other roles.
        if (details === CREATOR) await expect(revoked).rejects.toMatchObject({ status: 502 })
        else await revoked
        expect(await on.exists(username)).toBe(details === CREATOR)
        expect(await on.exists('planted')).toBe(false)
        await on.root.query('SELECT FROM theirs')
      } finally {
        await on.root.query(`DROP SCHEMA ${schema} CASCADE`)
      }
    })

    it('changes the password of a static user when the role is written, on demand and once per period', async () => {
      await using world = await on.open({ details })
      const { database } = world.kernel
      await on.addUser('app-owner', 'first')
      await database.writeStaticRole({ name: 's', db_name: 'pg', username: 'app-owner', rotation_period: 3600 })
      const passwords = ['first']
      const holds = async () => {
        const { username, password } = await world.staticCreds('s')
        expect(passwords).not.toContain(password)
        expect(await on.server.login(username, password)).toBe(true)
        expect(await on.server.login(username, passwords.at(-1)!)).toBe(false)
        passwords.push(password)
      }
      await holds()
      await database.rotateRole({ name: 's' })
      await holds()
      world.clock.advance(3_590_000)
      await world.kernel.tick()
      expect((await world.staticCreds('s')).password).toBe(passwords.at(-1))
      world.clock.advance(11_000)
      await world.kernel.tick()
      await holds()
    })

    it('changes the password of a static user at the times of a UTC schedule', async () => {
      const clock = fakeClock(Date.UTC(2026, 2, 1, 11, 30))
      await using world = await on.open({ details, clock })
      await on.addUser('scheduled', 'first')
      const schedule = { rotation_schedule: '0 3 * * MON', rotation_window: 3600 }
      await world.kernel.database.writeStaticRole({ name: 's', db_name: 'pg', username: 'scheduled', ...schedule })
      const first = await world.staticCreds('s')
      const at = async (time: number) => {
        clock.set(time)
        await world.kernel.tick()
        return world.staticCreds('s')
      }
      expect(await at(Date.UTC(2026, 2, 2, 2, 59, 59))).toEqual(first)
      const second = await at(Date.UTC(2026, 2, 2, 3, 0, 1))
      expect([second.password === first.password, await lets(second), await lets(first)]).toEqual([false, true, false])
      // The window was missed, so the rotation takes place in the next one.
      expect(await at(Date.UTC(2026, 2, 9, 4, 0, 1))).toEqual(second)
      expect((await at(Date.UTC(2026, 2, 16, 3, 0, 0))).password).not.toBe(second.password)
    })

    it('rotates its root password, after which the previous one is refused', async () => {
      const superuser = details === CREATOR ? 'CREATEROLE' : 'SUPERUSER'
      await on.root.query(`DROP ROLE IF EXISTS own; CREATE ROLE own LOGIN ${superuser} PASSWORD 'own-1'`)
      await on.root.query('GRANT CREATE ON SCHEMA public TO own; GRANT SELECT ON ours TO own WITH GRANT OPTION')
      const own = { username: 'own', password: 'own-1' }
      await using world = await on.open({ details: own })
      await world.kernel.database.rotateRoot({ name: 'pg' })
      expect(await lets(own)).toBe(false)
      await world.writeApp()
      const made = await world.creds()
      expect(await lets(made)).toBe(true)
      await world.kernel.leases.revokeLease({ lease_id: made.lease_id, sync: true })
      expect(await on.exists(made.username)).toBe(false)
      await on.root.query('DROP OWNED BY own')
    })

    it.each(['password', 'scram-sha-256'])(
      'supports special characters in user names and passwords (%s)',
      async (password_authentication) => {
        const kind = details === CREATOR ? 'CREATEROLE' : 'SUPERUSER'
        const name = ODD.slice(0, 40)
        const own = { username: name, password: ODD }
        await on.root.query(`DROP ROLE IF EXISTS ${quoted(name)}`)
        await on.root.query(`CREATE ROLE ${quoted(name)} LOGIN ${kind} PASSWORD E'${ODD.replace(/[\\']/g, '\\$&')}'`)
        await on.root.query(`GRANT SELECT ON ours TO ${quoted(name)} WITH GRANT OPTION`)
        await using world = await on.open({ details: { ...own, password_authentication, password_policy: 'odd' } })
        const { kernel } = world
        await kernel.policies.writePasswordPolicy({ name: 'odd', policy: ODD_POLICY })
        await kernel.database.rotateRoot({ name: 'pg' })
        expect(await lets(own)).toBe(false)
        await kernel.database.resetConnection({ name: 'pg' })
        await world.writeApp()
        const made = await world.creds()
        expect(made.password).toMatch(/^['"\\;$%@:/?#{}&= äß漢ab]{24}$/)
        expect(await lets(made)).toBe(true)
        await on.addUser('odd-static', ODD)
        await on.root.query(`GRANT "odd-static" TO ${quoted(name)} WITH ADMIN OPTION`)
        await kernel.database.writeStaticRole({ name: 's', db_name: 'pg', username: 'odd-static', rotation_period: 3600 })
        for (let turn = 0; turn < 5; turn++) {
          await kernel.database.rotateRole({ name: 's' })
          expect(await lets(await world.staticCreds('s'))).toBe(true)
        }
        await kernel.leases.revokeLease({ lease_id: made.lease_id, sync: true })
        expect(await on.exists(made.username)).toBe(false)
        await on.root.query(`DROP OWNED BY ${quoted(name)} CASCADE`)
      },
    )

    it('creates users with statements in which names and passwords are in every kind of quotes', async () => {
      await using world = await on.open({ details: { ...details, password_policy: 'odd' } })
      await world.kernel.policies.writePasswordPolicy({ name: 'odd', policy: ODD_POLICY })
      await world.writeApp({
        creation_statements: [
          `DO $do$ BEGIN EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L', E'{{name}}', '{{password}}'); END $do$; -- {{password}};
           /* {{name}}; */ GRANT SELECT ON ours TO "{{name}}"`,
          `ALTER ROLE "{{name}}" VALID UNTIL '{{expiration}}'`,
        ],
      })
      const made = await world.creds()
      expect(await lets(made)).toBe(true)
    })
  })
})
