/** Remaining times are computed at the time of the request, so a late job cannot make them look longer. */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type KernelEvent } from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'

const HOUR = 3_600_000
const at = (text: string): number => Date.parse(text)

async function open(start = '2026-11-25T00:30:00Z') {
  const clock = fakeClock(at(start))
  const goTo = (text: string) => clock.advance(at(text) - clock.now())
  const fake = fakeDatabasePlugin()
  const kernel = await createDevKernel({ clock, ports: { databases: { fake } } })
  const details = { connection_url: 'fake://{{username}}:{{password}}@localhost', username: 'root', password: 'root-password' }
  await kernel.database.writeConnection({ name: 'db', plugin_name: 'fake', ...details, allowed_roles: ['*'] })
  fake.addUser('billing', 'first')
  const write = (rotation: object) =>
    kernel.database.writeStaticRole({ name: 's', db_name: 'db', username: 'billing', ...rotation })
  const creds = () => kernel.database.staticCreds({ name: 's' })
  return { clock, goTo, fake, kernel, write, creds, [Symbol.asyncDispose]: () => kernel.close() }
}

describe('database.staticCreds', () => {
  it('returns a ttl of 0 while a scheduled rotation is overdue, and the time to the next rotation after it', async () => {
    await using world = await open()
    await world.write({ rotation_schedule: '0 * * * *' })
    expect(await world.creds()).toMatchObject({ ttl: 1800, version: 1 })
    await world.goTo('2026-11-25T01:00:00Z')
    expect((await world.creds()).ttl).toBe(0)
    await world.goTo('2026-11-25T01:00:05Z')
    expect(await world.creds()).toMatchObject({ ttl: 0, version: 1 })
    await world.kernel.tick()
    expect(await world.creds()).toMatchObject({ ttl: 3595, version: 2 })
  })

  it('returns the time to the next rotation once a rotation window was missed', async () => {
    await using world = await open()
    await world.write({ rotation_schedule: '0 1 * * *', rotation_window: '1h' })
    await world.goTo('2026-11-25T01:59:59Z')
    expect((await world.creds()).ttl).toBe(0)
    await world.goTo('2026-11-25T02:00:00Z')
    expect((await world.creds()).ttl).toBe(23 * 3600)
    await world.kernel.tick()
    expect(await world.creds()).toMatchObject({ ttl: 23 * 3600, version: 1 })
  })

  it('returns a ttl of 0 while a periodic rotation is overdue, and the time to the next attempt after a failure', async () => {
    await using world = await open()
    await world.write({ rotation_period: '1h' })
    await world.clock.advance(HOUR + 10_000)
    expect((await world.creds()).ttl).toBe(0)
    world.fake.trouble({ call: 'updateUser', manner: 'refuses', times: 2 })
    await world.kernel.tick()
    await world.clock.advance(10_001)
    await world.kernel.tick()
    const { ttl, version } = await world.creds()
    expect(version).toBe(1)
    expect(ttl).toBeGreaterThan(0)
    expect(ttl).toBeLessThanOrEqual(20)
  })

  it('returns a version that increases with each new password, and the event static_role.rotated has the same version', async () => {
    await using world = await open()
    const events: KernelEvent<'static_role.rotated'>[] = []
    world.kernel.events.on('static_role.rotated', (event) => events.push(event))
    await world.write({ rotation_period: '1h' })
    const seen = new Map<number, string>()
    for (const change of [
      async () => undefined,
      () => world.kernel.database.rotateRole({ name: 's' }),
      () => world.write({ rotation_period: '2h' }),
      async () => {
        await world.clock.advance(3 * HOUR)
        await world.kernel.tick()
      },
    ]) {
      await change()
      const { version, password } = await world.creds()
      seen.set(version, password as string)
    }
    expect([...seen.keys()]).toEqual([1, 2, 3, 4])
    expect(new Set(seen.values()).size).toBe(4)
    await new Promise((resolve) => setImmediate(resolve))
    expect(events.map(({ version }) => version)).toEqual([1, 2, 3, 4])
  })
})

it('lookups of leases and tokens return the remaining lifetime', async () => {
  await using world = await open()
  const { kernel, clock } = world
  await kernel.database.writeRole({
    name: 'app',
    db_name: 'db',
    creation_statements: ['CREATE'],
    default_ttl: '1h',
    max_ttl: '4h',
  })
  const { lease_id } = await kernel.database.creds({ name: 'app' })
  const { client_token } = await kernel.tokens.createToken({ policies: ['default'], ttl: '1h' })
  const left = async () => [
    (await kernel.leases.lookupLease({ lease_id })).ttl,
    (await kernel.tokens.lookupToken({ token: client_token })).ttl,
  ]
  expect(await left()).toEqual([3600, 3600])
  await clock.advance(1000_000)
  expect(await left()).toEqual([2600, 2600])
  await kernel.leases.renewLease({ lease_id })
  expect(await left()).toEqual([3600, 2600])
})

it('renewing a lease after a failed revocation is refused, and the message names the failed revocation', async () => {
  await using world = await open()
  const { kernel, fake } = world
  await kernel.database.writeRole({ name: 'app', db_name: 'db', creation_statements: ['CREATE'], default_ttl: '1h' })
  const { lease_id } = await kernel.database.creds({ name: 'app' })
  fake.trouble({ call: 'deleteUser', manner: 'refuses', times: 100 })
  await expect(kernel.leases.revokeLease({ lease_id })).rejects.toMatchObject({ code: 'ERR_UPSTREAM' })
  for (let attempt = 0; attempt < 8; attempt++) {
    await expect(kernel.leases.renewLease({ lease_id })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/an attempt to revoke the lease failed/),
    })
    await world.clock.advance(HOUR)
    await kernel.tick()
  }
})
