import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'

const MINUTE = 60_000

async function openWorld() {
  const clock = fakeClock()
  const plugin = fakeDatabasePlugin({ clock })
  plugin.addUser('app-owner', 'first')
  const kernel = await createDevKernel({ clock, ports: { databases: { fake: plugin } } })
  const { database } = kernel
  const login = { username: 'root', password: 'root-password' }
  await database.writeConnection({ name: 'db', plugin_name: 'fake', connection_url: 'fake:', allowed_roles: ['*'], ...login })
  const creation_statements = ['CREATE']
  await database.writeRole({ name: 'app', db_name: 'db', creation_statements, default_ttl: 3600, max_ttl: 7200 })
  await database.writeStaticRole({ name: 'static', db_name: 'db', username: 'app-owner', rotation_period: 3600 })
  const pass = async (ms: number) => {
    await clock.advance(ms)
    await kernel.tick()
  }
  return { clock, plugin, kernel, database, pass, [Symbol.asyncDispose]: () => kernel.close() }
}

describe('the credential source of a role', () => {
  it('returns the same user to all callers', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ role: 'app' })
    const all = await Promise.all(Array.from({ length: 20 }, () => source.current()))
    await world.clock.advance(30 * MINUTE)
    all.push(await source.current())
    expect(new Set(all.map(({ username, password }) => `${username} ${password}`)).size).toBe(1)
    expect(world.plugin.calls.createUser).toBe(1)
    expect(world.plugin.login(all[0]!.username, all[0]!.password)).toBe(true)
  })

  it('requests no user before its first use, and a tick requests none either', async () => {
    await using world = await openWorld()
    world.database.credentialSource({ role: 'app' })
    await world.pass(30 * MINUTE)
    expect(world.plugin.calls.createUser).toBe(0)
  })

  it.each(['on use', 'by tick'])('renews the lease before it expires (%s)', async (how) => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ role: 'app' })
    const first = await source.current()
    await world.clock.advance(39 * MINUTE)
    await (how === 'by tick' ? world.kernel.tick() : source.current())
    expect(world.plugin.calls.updateUser).toBe(1)
    await world.clock.advance(2 * MINUTE)
    await (how === 'by tick' ? world.kernel.tick() : source.current())
    expect(world.plugin.calls.updateUser).toBe(2)
    // More than an hour after its creation, so the renewal must have extended the lease.
    await world.pass(25 * MINUTE)
    expect(await source.current()).toEqual(first)
    expect(world.plugin.login(first.username, first.password)).toBe(true)
  })

  it('changes to a new user before the maximum TTL is reached, and notifies its listeners', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ role: 'app' })
    const usernames: string[] = []
    const stop = source.onChange(({ username }) => usernames.push(username))
    const logins = [await source.current()]
    for (let minutes = 0; minutes < 480; minutes += 5) {
      await world.pass(5 * MINUTE)
      const login = await source.current()
      expect(world.plugin.login(login.username, login.password)).toBe(true)
      if (login.username !== logins.at(-1)!.username) logins.push(login)
    }
    expect(logins.length).toBeGreaterThanOrEqual(4)
    expect(logins.length).toBeLessThanOrEqual(7)
    expect(usernames).toEqual(logins.slice(1).map(({ username }) => username))
    stop()
    await world.pass(120 * MINUTE)
    await source.current()
    expect(usernames).toHaveLength(logins.length - 1)
  })

  it('returns the current user while the database fails, until the lease of that user has expired', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ role: 'app' })
    const first = await source.current()
    const calls = ['updateUser', 'createUser', 'deleteUser'] as const
    const ends = calls.map((call) => world.plugin.trouble({ call, manner: 'refuses', times: 1000 }))
    await world.clock.advance(50 * MINUTE)
    expect(await source.current()).toEqual(first)
    await world.clock.advance(11 * MINUTE)
    await expect(source.current()).rejects.toMatchObject({ status: 502 })
    for (const end of ends) end()
    const { username, password } = await source.current()
    expect(username).not.toBe(first.username)
    expect(world.plugin.login(username, password)).toBe(true)
  })

  it('reports a failed renewal as a failed item of the tick', async () => {
    await using world = await openWorld()
    await world.database.deleteStaticRole({ name: 'static' })
    const source = world.database.credentialSource({ role: 'app' })
    await source.current()
    for (const call of ['updateUser', 'createUser'] as const) world.plugin.trouble({ call, manner: 'refuses', times: 1000 })
    await world.clock.advance(61 * MINUTE)
    expect((await world.kernel.tick()).failed).toMatchObject([{ lane: 'credential-source', error: { code: 'ERR_UPSTREAM' } }])
  })

  it('changes to a new user when it is refreshed after its lease was revoked', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ role: 'app' })
    const first = await source.current()
    expect(await source.refresh()).toEqual(first)
    await world.kernel.leases.revokePrefix({ prefix: 'database/creds/app', sync: true })
    expect(await source.current()).toEqual(first)
    const second = await source.refresh()
    expect(second.username).not.toBe(first.username)
    expect(await source.current()).toEqual(second)
  })

  it('revokes its lease when it is closed', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ role: 'app' })
    const { username } = await source.current()
    await source.close()
    await source.close()
    expect(world.plugin.users.has(username)).toBe(false)
    await expect(source.current()).rejects.toThrow(TypeError)
    await world.pass(60 * MINUTE)
    expect(world.plugin.calls.createUser).toBe(1)
  })

  it('revokes a lease that is created while it is closed', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ role: 'app' })
    const pending = source.current()
    await source.close()
    const { username } = await pending
    expect(world.plugin.users.has(username)).toBe(false)
  })

  it('rejects if the role does not exist', async () => {
    await using world = await openWorld()
    await expect(world.database.credentialSource({ role: 'none' }).current()).rejects.toMatchObject({ status: 400 })
  })
})

describe('the credential source of a static role', () => {
  it('returns the new password after each scheduled rotation', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ static_role: 'static' })
    const passwords: string[] = []
    source.onChange(({ password }) => passwords.push(password))
    const first = await source.current()
    for (let turn = 1; turn <= 3; turn++) {
      await world.pass(60 * MINUTE + 1000)
      const { username, password } = await source.current()
      expect(world.plugin.login(username, password)).toBe(true)
    }
    expect(new Set([first.password, ...passwords]).size).toBe(4)
  })

  it('returns the password of a manual rotation after a refresh', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ static_role: 'static' })
    const first = await source.current()
    await world.database.rotateRole({ name: 'static' })
    expect(await source.current()).toEqual(first)
    const { username, password } = await source.refresh()
    expect(world.plugin.login(username, password)).toBe(true)
  })

  it('does not delete the user when it is closed', async () => {
    await using world = await openWorld()
    const source = world.database.credentialSource({ static_role: 'static' })
    const { username, password } = await source.current()
    await source.close()
    expect(world.plugin.login(username, password)).toBe(true)
  })
})
