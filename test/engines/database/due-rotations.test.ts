/** A rotation neither stops nor loops (hashicorp/vault#21857, #7502, #7222, PR#28989). */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { type FakeClock, type FakeDatabasePlugin, fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ROOT = { username: 'root', password: 'root-password', connection_url: 'there' }

interface World {
  readonly clock: FakeClock
  readonly database: FakeDatabasePlugin
  readonly kernel: Kernel
  /** Users whose changes the database refuses. */
  readonly refused: Set<string>
  /** The passwords that the database received for a user, in order. */
  readonly tried: (username: string) => readonly string[]
}

async function openWorld(users: readonly string[] = ['alice'], clock = fakeClock()): Promise<World> {
  const database = fakeDatabasePlugin()
  for (const user of users) database.addUser(user, `${user}-before`)
  const tried: (readonly [string, string])[] = []
  const refused = new Set<string>()
  const plugin = {
    ...database,
    async connect(...args: Parameters<typeof database.connect>) {
      const connection = await database.connect(...args)
      const updateUser: typeof connection.updateUser = async (change, signal) => {
        if (change.credential?.type === 'password') tried.push([change.username, change.credential.password])
        if (refused.has(change.username)) throw Object.assign(new Error('refused'), { reason: 'statement', code: '42501' })
        return connection.updateUser(change, signal)
      }
      return { ...connection, updateUser }
    },
  }
  const kernel = await createDevKernel({ clock, ports: { databases: { fake: plugin } } })
  await kernel.database.writeConnection({ name: 'main', plugin_name: 'fake', allowed_roles: ['*'], ...ROOT })
  const triedFor = (username: string) => tried.filter(([name]) => name === username).map(([, value]) => value)
  return { clock, database, kernel, refused, tried: triedFor }
}

const passwordOf = async (kernel: Kernel, name: string): Promise<string> =>
  (await kernel.database.staticCreds({ name })).password ?? ''

const writeRole = ({ kernel }: World, name: string, when: object = { rotation_period: 3600 }) =>
  kernel.database.writeStaticRole({ name, db_name: 'main', username: name, ...when })

/** Advances the clock, with a tick every ten seconds. */
async function pass({ kernel, clock }: World, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    await clock.advance(10_000)
    await kernel.tick()
  }
}

describe('a static role', () => {
  it('is rotated once per period, however many ticks run', async () => {
    const world = await openWorld()
    await writeRole(world, 'alice')
    await pass(world, 5 * HOUR)
    expect(world.tried('alice').length).toBe(1 + 5)
    expect(new Set(world.tried('alice')).size).toBe(6)
    expect(world.database.login('alice', await passwordOf(world.kernel, 'alice'))).toBe(true)
  })

  it('is rotated only once after a long time without ticks', async () => {
    const world = await openWorld()
    await writeRole(world, 'alice')
    await world.clock.advance(100 * HOUR)
    for (let tick = 0; tick < 3; tick++) await world.kernel.tick()
    expect(world.tried('alice').length).toBe(2)
    expect((await world.kernel.database.staticCreds({ name: 'alice' })).ttl).toBe(3600)
  })

  it('is not rotated again after the clock is set back until it is due by the new time', async () => {
    const world = await openWorld()
    const { clock, kernel } = world
    await writeRole(world, 'alice')
    await clock.advance(HOUR)
    await kernel.tick()
    clock.set(clock.now() - 30 * MINUTE)
    await pass(world, 89 * MINUTE)
    expect(world.tried('alice').length).toBe(2)
    await pass(world, 2 * MINUTE)
    expect(world.tried('alice').length).toBe(3)
  })

  it('is rotated once after the clock jumps ahead, and then once per period', async () => {
    const world = await openWorld()
    const { clock, kernel } = world
    await writeRole(world, 'alice')
    clock.set(clock.now() + 1000 * HOUR)
    await kernel.tick()
    await pass(world, 59 * MINUTE)
    expect(world.tried('alice').length).toBe(2)
    await pass(world, 2 * MINUTE)
    expect(world.tried('alice').length).toBe(3)
  })

  it('is rotated at the times of its UTC schedule, even after a manual rotation', async () => {
    const world = await openWorld(['alice'], fakeClock(Date.UTC(2026, 0, 1, 0, 30)))
    await writeRole(world, 'alice', { rotation_schedule: '0 */2 * * *' })
    await pass(world, 80 * MINUTE)
    expect(world.tried('alice').length).toBe(1)
    await world.kernel.database.rotateRole({ name: 'alice' })
    await pass(world, 9 * MINUTE)
    expect(world.tried('alice').length).toBe(2)
    await pass(world, MINUTE)
    expect(world.tried('alice').length).toBe(3)
    await pass(world, 4 * HOUR)
    expect(world.tried('alice').length).toBe(5)
  })

  it('is rotated in the next rotation window if it missed one', async () => {
    const world = await openWorld(['alice'], fakeClock(Date.UTC(2026, 0, 1)))
    const { clock, kernel } = world
    await writeRole(world, 'alice', { rotation_schedule: '0 6 * * *', rotation_window: 3600 })
    await clock.advance(7 * HOUR)
    await kernel.tick()
    expect(world.tried('alice').length).toBe(1)
    expect((await kernel.database.staticCreds({ name: 'alice' })).ttl).toBe(23 * 3600)
    await clock.advance(23 * HOUR + 59 * MINUTE)
    await kernel.tick()
    expect(world.tried('alice').length).toBe(2)
  })

  it('starts a new period when it is rotated manually', async () => {
    const world = await openWorld()
    await writeRole(world, 'alice')
    await pass(world, 50 * MINUTE)
    await world.kernel.database.rotateRole({ name: 'alice' })
    await pass(world, 59 * MINUTE)
    expect(world.tried('alice').length).toBe(2)
    await pass(world, MINUTE)
    expect(world.tried('alice').length).toBe(3)
  })
})

describe('a database that refuses changes of one user', () => {
  it('is given each new password at most twice, with growing delays between attempts', async () => {
    const world = await openWorld(['alice', 'bob'])
    const { clock, database, kernel } = world
    await writeRole(world, 'alice')
    await writeRole(world, 'bob', { rotation_period: 600 })
    const before = await passwordOf(kernel, 'alice')
    const failures: string[] = []
    kernel.events.on('static_role.rotation_failed', (event) => void failures.push(JSON.stringify(event)))
    world.refused.add('alice')
    await clock.advance(HOUR)
    await kernel.tick()
    await pass(world, 12 * HOUR)
    const values = world.tried('alice').slice(1)
    for (let at = 0; at + 1 < values.length; at += 2) expect(values[at]).toBe(values[at + 1])
    expect(new Set(values).size).toBe(Math.ceil(values.length / 2))
    // The delay starts at 10 seconds and doubles to an hour after nine attempts; then there is one attempt per hour.
    expect(values.length / 2).toBeGreaterThan(9)
    expect(values.length / 2).toBeLessThan(9 + 12)
    expect(failures.length).toBe(values.length)
    for (const value of [...values, before]) for (const failure of failures) expect(failure).not.toContain(value)
    expect(await passwordOf(kernel, 'alice')).toBe(before)
    expect(world.tried('bob').length).toBeGreaterThan(70)

    world.refused.clear()
    await pass(world, 2 * HOUR)
    expect(database.login('alice', await passwordOf(kernel, 'alice'))).toBe(true)
    const good = world.tried('alice').length
    await pass(world, 50 * MINUTE)
    expect(world.tried('alice').length).toBeLessThanOrEqual(good + 1)
  })
})

describe('a lease', () => {
  it('is not revoked at its original expiration after it was renewed (hashicorp/vault#10026)', async () => {
    const world = await openWorld()
    const { clock, database, kernel } = world
    await kernel.database.writeRole({ name: 'app', db_name: 'main', creation_statements: ['make'], default_ttl: 3600 })
    const { username, lease_id } = await kernel.database.creds({ name: 'app' })
    await clock.advance(50 * MINUTE)
    await kernel.leases.renewLease({ lease_id, increment: 3600 })
    for (const minutes of [9, 1, 1, 48]) {
      await clock.advance(minutes * MINUTE)
      await kernel.tick()
      expect(database.users.has(username)).toBe(true)
    }
    await clock.advance(2 * MINUTE)
    await kernel.tick()
    expect(database.users.has(username)).toBe(false)
  })
})
