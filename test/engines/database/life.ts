/** Tests that every real database server except PostgreSQL has to pass; PostgreSQL has tests of its own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatabasePlugin } from '../../../src/engines/database/port.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { type MovingClock, movingClock } from '../../fixtures/moving-clock.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'

export interface Life {
  readonly name: string
  /** Why the server is not available. */
  readonly missing: string | undefined
  readonly start: () => Promise<DatabaseServer>
  readonly plugin: DatabasePlugin
  /** Statements that create a user with few privileges. */
  readonly creation_statements: readonly string[]
  /** Statements that create a user that may create other users. */
  readonly administrator: readonly string[]
  /** Statements of which the server refuses the last. */
  readonly failing_statements: readonly string[]
  /** Drops a user without the kernel. */
  readonly drop: (server: DatabaseServer, username: string) => Promise<unknown>
  /** Additional tests for this server. */
  readonly more?: (world: () => LifeWorld) => void
}

export interface LifeWorld {
  readonly server: DatabaseServer
  readonly kernel: Kernel
  readonly clock: MovingClock
}

/** Longer than the delay between two revocation attempts. */
const LATER_MS = 4_000_000

export function databaseLife({ name, missing, start, plugin, ...life }: Life): void {
  const { creation_statements, administrator, failing_statements, drop, more } = life
  describe.skipIf(missing !== undefined)(`the database engine on ${name}${missing ? ` (skipped: ${missing})` : ''}`, () => {
    let server: DatabaseServer
    let kernel: Kernel
    let clock: MovingClock
    beforeAll(async () => {
      server = await start()
      clock = movingClock()
      kernel = await createDevKernel({ clock, ports: { databases: { plugin } } })
      const { url: connection_url, username, password } = server
      await connect('db', { connection_url, username, password })
      await kernel.database.writeRole({ name: 'app', db_name: 'db', creation_statements, default_ttl: 3600 })
    })
    afterAll(async () => {
      await kernel?.close()
      await server?.stop()
    })

    const connect = (name: string, details: { connection_url: string; username: string; password: string }) =>
      kernel.database.writeConnection({ name, plugin_name: 'plugin', allowed_roles: ['*'], ...details })
    const creds = async (role = 'app') => {
      const { username, password = '', lease_id } = await kernel.database.creds({ name: role })
      return { username, password, lease_id }
    }
    const lets = ({ username, password }: { username: string; password: string }) => server.login(username, password)

    it('creates a user that can log in until its lease is revoked', async () => {
      const made = await creds()
      expect(await lets(made)).toBe(true)
      await kernel.leases.renewLease({ lease_id: made.lease_id, increment: 7200 })
      expect(await lets(made)).toBe(true)
      await kernel.leases.revokeLease({ lease_id: made.lease_id, sync: true })
      expect(await lets(made)).toBe(false)
    })

    it('drops a user whose lease has expired', async () => {
      const made = await creds()
      clock.advance(LATER_MS)
      await kernel.tick()
      expect(await lets(made)).toBe(false)
    })

    it('revokes the lease of a user that was already dropped', async () => {
      const { username, lease_id } = await creds()
      await drop(server, username)
      await kernel.leases.revokeLease({ lease_id, sync: true })
      await expect(kernel.leases.lookupLease({ lease_id })).rejects.toMatchObject({ status: 400 })
    })

    it('changes the password of a static user when the role is written, on demand and once per period', async () => {
      const user = await creds()
      const { username } = user
      const held = [user.password]
      const changed = async () => {
        const { password = '' } = await kernel.database.staticCreds({ name: 'static' })
        expect(held).not.toContain(password)
        expect([await lets({ username, password }), await lets({ username, password: held.at(-1)! })]).toEqual([true, false])
        held.push(password)
      }
      await kernel.database.writeStaticRole({ name: 'static', db_name: 'db', username, rotation_period: 60 })
      await changed()
      await kernel.database.rotateRole({ name: 'static' })
      await changed()
      clock.advance(61_000)
      await kernel.tick()
      await changed()
    })

    it('rotates its root password, after which the previous one is refused', async () => {
      await kernel.database.writeRole({ name: 'administrator', db_name: 'db', creation_statements: administrator })
      const own = await creds('administrator')
      await connect('own', { connection_url: server.url, username: own.username, password: own.password })
      await kernel.database.writeRole({ name: 'of-own', db_name: 'own', creation_statements })
      await kernel.database.rotateRoot({ name: 'own' })
      expect(await lets(own)).toBe(false)
      const made = await creds('of-own')
      expect(await lets(made)).toBe(true)
      await kernel.leases.revokeLease({ lease_id: made.lease_id, sync: true })
      expect(await lets(made)).toBe(false)
    })

    it('creates passwords with special characters', async () => {
      const policy = String.raw`length = 24
        rule "charset" { charset = "'\"\\;$%@:/?#{}&= " min-chars = 20 }
        rule "charset" { charset = "ab" }`
      await kernel.policies.writePasswordPolicy({ name: 'odd', policy })
      const credential_config = { password_policy: 'odd' }
      await kernel.database.writeRole({ name: 'odd', db_name: 'db', creation_statements, credential_config })
      for (let turn = 0; turn < 5; turn++) {
        const made = await creds('odd')
        expect(await lets(made)).toBe(true)
        await kernel.leases.revokeLease({ lease_id: made.lease_id, sync: true })
        expect(await lets(made)).toBe(false)
      }
    })

    it('returns 502 with the server’s error code if a statement fails', async () => {
      await kernel.database.writeRole({ name: 'failing', db_name: 'db', creation_statements: failing_statements })
      const refused = kernel.database.creds({ name: 'failing' })
      await expect(refused).rejects.toMatchObject({
        status: 502,
        message: expect.stringMatching(/^the database refused a statement \(\w+\)$/),
      })
    })

    more?.(() => ({ server, kernel, clock }))
  })
}
