/** Reported defects of Vault about rotation, leases and failing databases, each tested on a database in memory. */
import { describe, expect, it } from 'vitest'
import type { DatabasePlugin } from '../../../src/engines/database/port.ts'
import { createDevKernel, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin, faultyStorage } from '../../../src/testing/index.ts'

const MINUTE = 60_000
const ROOT = { username: 'root', password: 'root-password' }
const NAMES = ['a', 'b', 'c']

async function openWorld() {
  const clock = fakeClock()
  const storage = memoryStorage()
  const plugin = fakeDatabasePlugin({ clock })
  const open = () => createDevKernel({ clock, storage, ports: { databases: { fake: plugin } } })
  const kernel = await open()
  const { database, leases } = kernel
  const connect = (name: string) =>
    database.writeConnection({ name, plugin_name: 'fake', connection_url: 'fake:', allowed_roles: ['*'], ...ROOT })
  await connect('db')
  /** The next caller that needs the connection has to open it. */
  const forget = () => database.writeConnection({ name: 'db', verify_connection: false, ...ROOT })
  const role = { db_name: 'db', creation_statements: ['CREATE'] }
  await database.writeRole({ name: 'app', default_ttl: 3600, max_ttl: 86_400, ...role })
  const writeStatic = async (name: string, more: object = {}) => {
    plugin.addUser(name, 'first')
    await database.writeStaticRole({ name, db_name: 'db', username: name, rotation_period: 3600, ...more })
  }
  const passwordOf = async (name: string) => (await database.staticCreds({ name })).password ?? ''
  const holds = async (name: string) => plugin.login(name, await passwordOf(name))
  const pass = async (ms: number) => {
    await clock.advance(ms)
    return kernel.tick()
  }
  const made = async () => {
    const { username, lease_id } = await database.creds({ name: 'app' })
    return { username, lease_id }
  }
  const world = { clock, plugin, kernel, database, leases, role, connect, forget, writeStatic, passwordOf, holds, pass, made }
  return { ...world, [Symbol.asyncDispose]: () => kernel.close() }
}

it('vault#21857: a static role is rotated again once logins to the database succeed again', async () => {
  await using world = await openWorld()
  await world.writeStatic('a')
  const first = await world.passwordOf('a')
  await world.forget()
  const end = world.plugin.trouble({ call: 'connect', manner: 'refuses', times: 1_000_000 })
  for (let hours = 0; hours < 48; hours++) await world.pass(60 * MINUTE)
  expect([await world.passwordOf('a'), await world.holds('a')]).toEqual([first, true])
  end()
  await world.pass(60 * MINUTE)
  expect(await world.passwordOf('a')).not.toBe(first)
  expect(await world.holds('a')).toBe(true)
})

it('vault#7502: a static role is rotated every time it is due', async () => {
  await using world = await openWorld()
  await world.writeStatic('a', { rotation_period: 30 })
  const seen = new Set([await world.passwordOf('a')])
  for (let turn = 0; turn < 10; turn++) {
    await world.clock.advance(30_000)
    expect((await world.database.staticCreds({ name: 'a' })).ttl).toBe(0)
    await world.kernel.tick()
    seen.add(await world.passwordOf('a'))
    expect(await world.holds('a')).toBe(true)
  }
  expect(seen.size).toBe(11)
})

it('vault#7222: an overdue static role can be rotated manually, and can be deleted', async () => {
  await using world = await openWorld()
  await world.writeStatic('a')
  for (let turn = 0; turn < 2; turn++) {
    await world.clock.advance(61 * MINUTE)
    const before = await world.passwordOf('a')
    await world.database.rotateRole({ name: 'a' })
    expect(await world.passwordOf('a')).not.toBe(before)
  }
  await world.clock.advance(61 * MINUTE)
  await world.database.deleteStaticRole({ name: 'a' })
  const { updateUser } = world.plugin.calls
  expect((await world.kernel.tick()).failed).toEqual([])
  expect(world.plugin.calls.updateUser).toBe(updateUser)
})

it('a static role whose user is missing does not prevent the rotation of other roles', async () => {
  await using world = await openWorld()
  for (const name of NAMES) await world.writeStatic(name)
  const before = await Promise.all(NAMES.map(world.passwordOf))
  // Removes the user without the kernel.
  ;(world.plugin.users as Map<string, unknown>).delete('a')
  await world.pass(61 * MINUTE)
  const after = await Promise.all(NAMES.map(world.passwordOf))
  expect(NAMES.filter((_, at) => after[at] !== before[at])).toEqual(['b', 'c'])
})

it('later ticks do not repeat the rotation of a static role within its period', async () => {
  await using world = await openWorld()
  await world.writeStatic('a')
  const { updateUser } = world.plugin.calls
  await world.pass(61 * MINUTE)
  for (let turn = 0; turn < 10; turn++) await world.kernel.tick()
  expect(world.plugin.calls.updateUser).toBe(updateUser + 1)
})

it('vault PR#28989: a rotation is retried without a tight loop if the database refuses a password', async () => {
  await using world = await openWorld()
  const failedRoles: string[] = []
  await world.writeStatic('a')
  const first = await world.passwordOf('a')
  world.kernel.events.on('static_role.rotation_failed', ({ name }) => failedRoles.push(name))
  world.plugin.trouble({ call: 'updateUser', manner: 'refuses', times: 3 })
  const before = world.plugin.calls.updateUser
  await world.pass(61 * MINUTE)
  // One attempt per due time; more ticks do not cause more attempts.
  for (let turn = 0; turn < 10; turn++) await world.kernel.tick()
  expect(world.plugin.calls.updateUser).toBe(before + 1)
  expect(await world.passwordOf('a')).toBe(first)
  for (let tries = 0; tries < 12; tries++) await world.pass(10_000)
  expect(await world.passwordOf('a')).not.toBe(first)
  expect(await world.holds('a')).toBe(true)
  expect(failedRoles).toEqual(['a', 'a', 'a'])
})

it.each(['refuses', 'unreachable', 'loses', 'hangs'] as const)(
  'vault#6042: the kernel can still log in after a root rotation that fails partway (%s)',
  async (manner) => {
    await using world = await openWorld()
    world.plugin.addUser('own', 'own-1')
    await world.database.writeConnection({ name: 'db', username: 'own', password: 'own-1' })
    world.plugin.trouble({ call: 'updateUser', manner })
    const rotated = world.database.rotateRoot({ name: 'db' }).catch((error: unknown) => error)
    // Covers the deadline and the time after which another process may take over the claim.
    await world.clock.advance(20_000)
    expect(await rotated).toMatchObject({ status: 502 })
    for (let turn = 0; turn < 5; turn++) await world.pass(MINUTE)
    await world.database.resetConnection({ name: 'db' })
    expect((await world.made()).username).toBeTypeOf('string')
    await world.database.rotateRoot({ name: 'db' })
    await world.database.resetConnection({ name: 'db' })
  },
)

it('vault#6042: the kernel can still log in after a root rotation whose result it cannot store', async () => {
  const clock = fakeClock()
  const fake = fakeDatabasePlugin({ clock })
  fake.addUser('own', 'own-1')
  let down = false
  // The storage fails as soon as the database has the new password.
  const plugin: DatabasePlugin = {
    ...fake,
    async connect(details, signal) {
      const connection = await fake.connect(details, signal)
      return {
        ...connection,
        async updateUser(change, until) {
          await connection.updateUser(change, until)
          down = true
        },
      }
    },
  }
  const storage = faultyStorage(memoryStorage(), ({ method }) => (down && method === 'commit' ? 'error' : undefined))
  await using kernel = await createDevKernel({ clock, storage, ports: { databases: { fake: plugin } } })
  const { database } = kernel
  const details = { connection_url: 'fake:', username: 'own', password: 'own-1', allowed_roles: ['*'] }
  await database.writeConnection({ name: 'db', plugin_name: 'fake', ...details })
  await database.writeRole({ name: 'app', db_name: 'db', creation_statements: ['CREATE'] })
  await expect(database.rotateRoot({ name: 'db' })).rejects.toThrow()
  expect([down, fake.login('own', 'own-1')]).toEqual([true, false])
  down = false
  await clock.advance(MINUTE)
  await kernel.tick()
  await database.resetConnection({ name: 'db' })
  expect((await database.creds({ name: 'app' })).username).toBeTypeOf('string')
})

it('vault#10026: a renewed lease is not revoked at its original expiration', async () => {
  await using world = await openWorld()
  const { username, lease_id } = await world.made()
  await world.clock.advance(50 * MINUTE)
  await world.leases.renewLease({ lease_id, increment: 3600 })
  await world.pass(15 * MINUTE)
  expect(world.plugin.users.has(username)).toBe(true)
  await world.pass(46 * MINUTE)
  expect(world.plugin.users.has(username)).toBe(false)
})

it('vault PR#17711: connections can be written and deleted while connecting to another database hangs', async () => {
  await using world = await openWorld()
  await world.forget()
  world.plugin.trouble({ call: 'connect', manner: 'deaf' })
  const stuck = world.database.creds({ name: 'app' }).catch((error: unknown) => error)
  await new Promise((resolve) => setImmediate(resolve))
  await world.connect('other')
  await world.database.deleteConnection({ name: 'other' })
  await world.connect('db')
  expect((await world.made()).username).toBeTypeOf('string')
  await world.clock.advance(15_001)
  expect(await stuck).toMatchObject({ status: 502 })
})

describe('a dead database (vault#3627, #10120, #554, #4752)', () => {
  it.each([
    ['delays no request beyond the deadline if it never answers', 'createUser'],
    ['delays no other connection if connecting hangs', 'connect'],
  ] as const)('%s', async (_, call) => {
    await using world = await openWorld()
    await world.connect('other')
    await world.database.writeRole({ name: 'other', ...world.role, db_name: 'other' })
    if (call === 'connect') await world.forget()
    world.plugin.trouble({ call, manner: 'deaf' })
    const stuck = world.database.creds({ name: 'app' }).catch((error: unknown) => error)
    await new Promise((resolve) => setImmediate(resolve))
    expect((await world.database.creds({ name: 'other' })).username).toBeTypeOf('string')
    await world.clock.advance(15_001)
    expect(await stuck).toMatchObject({ status: 502 })
  })

  it('does not prevent the rotation of static roles on another connection', async () => {
    await using world = await openWorld()
    await world.connect('other')
    await world.writeStatic('a')
    await world.writeStatic('b', { db_name: 'other' })
    const before = await world.passwordOf('b')
    await world.clock.advance(61 * MINUTE)
    world.plugin.trouble({ call: 'updateUser', manner: 'deaf' })
    const ticked = world.kernel.tick()
    await world.clock.advance(15_001)
    await ticked
    // One of the two rotations hung; the other role was rotated in the same tick.
    const names = ['a', 'b']
    const rotated = await Promise.all(names.map(world.holds))
    expect(rotated.filter(Boolean)).toHaveLength(2)
    expect([before, 'first']).not.toContain(await world.passwordOf('b'))
  })

  it('keeps leases that could not be revoked, and they are revoked once it is back', async () => {
    await using world = await openWorld()
    const made = []
    for (let at = 0; at < 40; at++) made.push(await world.made())
    const end = world.plugin.trouble({ call: 'deleteUser', manner: 'unreachable', times: 1_000_000 })
    await world.pass(61 * MINUTE)
    expect(made.every(({ username }) => world.plugin.users.has(username))).toBe(true)
    end()
    await world.pass(61 * MINUTE)
    expect(made.some(({ username }) => world.plugin.users.has(username))).toBe(false)
  })

  it('does not prevent the kernel from closing', async () => {
    const world = await openWorld()
    world.plugin.trouble({ call: 'createUser', manner: 'deaf' })
    const stuck = world.database.creds({ name: 'app' }).catch((error: unknown) => error)
    const closed = world.kernel.close()
    await world.clock.advance(15_001)
    await closed
    expect(await stuck).toBeInstanceOf(Error)
  })
})

it('vault#8602: a revocation is retried every hour after the sixth attempt until it succeeds', async () => {
  await using world = await openWorld()
  const { username, lease_id } = await world.made()
  const end = world.plugin.trouble({ call: 'deleteUser', manner: 'refuses', times: 1_000_000 })
  await world.leases.revokeLease({ lease_id, sync: true }).catch(() => {})
  for (let hours = 0; hours < 48; hours++) await world.pass(60 * MINUTE)
  expect(world.plugin.calls.deleteUser).toBeGreaterThan(40)
  expect(world.plugin.users.has(username)).toBe(true)
  end()
  await world.pass(60 * MINUTE)
  expect(world.plugin.users.has(username)).toBe(false)
})

it('vault#18738: two static roles are rotated alternately if first_rotation_after differs by half a period', async () => {
  await using world = await openWorld()
  await world.writeStatic('blue')
  await world.writeStatic('green', { first_rotation_after: 1800 })
  const turns: string[] = []
  world.kernel.events.on('static_role.rotated', ({ name }) => turns.push(name))
  for (let minutes = 0; minutes < 240; minutes += 15) {
    const at = turns.length
    await world.pass(15 * MINUTE)
    await new Promise((resolve) => setImmediate(resolve))
    expect(turns.length - at).toBeLessThanOrEqual(1)
  }
  expect(turns.slice(0, 6)).toEqual(['green', 'blue', 'green', 'blue', 'green', 'blue'])
})

it('vault PR#29093: a static role with skip_import_rotation keeps its password until the first rotation is due', async () => {
  await using world = await openWorld()
  world.plugin.addUser('known', 'known-1')
  const role = { name: 'known', db_name: 'db', username: 'known', rotation_period: 3600, skip_import_rotation: true }
  const { updateUser } = world.plugin.calls
  await expect(world.database.writeStaticRole({ ...role, password: 'wrong' })).rejects.toMatchObject({ status: 502 })
  await world.database.writeStaticRole({ ...role, password: 'known-1' })
  expect([await world.passwordOf('known'), world.plugin.calls.updateUser]).toEqual(['known-1', updateUser])
  await world.pass(61 * MINUTE)
  expect(await world.passwordOf('known')).not.toBe('known-1')
  expect(await world.holds('known')).toBe(true)
})
