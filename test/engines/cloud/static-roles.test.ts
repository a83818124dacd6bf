import { describe, expect, it } from 'vitest'
import { type CloudProvider, createDevKernel } from '../../../src/index.ts'
import { type CloudCall, fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'
import { callsSince, goodKey, HOUR, keysOf, MINUTE, openStaticRoleWorld, pass, ROOT } from './static-role-world.ts'

const PERIOD = 3600

const writing = (username: string, name = 'r') => ({ name, username, rotation_period: PERIOD })

describe('creation of a static role', () => {
  it('creates a key for the user, after it has deleted the oldest key if the user has two', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    const [own] = keysOf(world, 'app-one')
    const [oldest, newer] = keysOf(world, 'app-two')
    const shown = await kernel.cloud.writeStaticRole(writing('app-one', 'one'))
    expect({ ...shown }).toMatchObject({ name: 'one', username: 'app-one', rotation_period: PERIOD })
    expect(shown.id).toBe(cloud.users.get('app-one')?.userId)
    expect(keysOf(world, 'app-one')).toEqual([own, await goodKey(world, 'one')])
    await kernel.cloud.writeStaticRole(writing('app-two', 'two'))
    expect(keysOf(world, 'app-two')).toEqual([newer, await goodKey(world, 'two')])
    expect(keysOf(world, 'app-two')).not.toContain(oldest)
  })

  it('is refused without a call to the cloud if the user name or period is invalid', async () => {
    const { kernel, cloud } = await openStaticRoleWorld()
    for (const username of ['', 'a b', 'a/b', 'a\0b', 'x'.repeat(65), 'x'.repeat(70_000)])
      await expect(kernel.cloud.writeStaticRole(writing(username))).rejects.toMatchObject({ status: 400 })
    expect(cloud.calls).toEqual([])
    await expect(kernel.cloud.writeStaticRole(writing('nobody'))).rejects.toMatchObject({ status: 400 })
    for (const rotation_period of [0, 59, 3_155_760_001, Number.MAX_SAFE_INTEGER])
      await expect(kernel.cloud.writeStaticRole({ ...writing('app-none'), rotation_period })).rejects.toMatchObject({
        status: 400,
      })
    await kernel.cloud.writeStaticRole({ ...writing('app-none'), rotation_period: 3_155_760_000 })
  })

  it('is accepted with a role name of the maximum length, but not with a longer one', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    await expect(kernel.cloud.writeStaticRole(writing('app-none', 'n'.repeat(1025)))).rejects.toMatchObject({ status: 400 })
    expect(cloud.calls).toEqual([])
    const name = 'n'.repeat(1024)
    await kernel.cloud.writeStaticRole(writing('app-none', name))
    const key = await goodKey(world, name)
    await pass(world, HOUR)
    expect(await goodKey(world, name)).not.toBe(key)
    await kernel.cloud.deleteStaticRole({ name })
    expect(keysOf(world, 'app-none')).toEqual([key])
  })

  it('is refused before the root is configured', async () => {
    const kernel = await createDevKernel({ ports: { cloud: fakeCloudProvider() } })
    await expect(kernel.cloud.writeStaticRole(writing('app-none'))).rejects.toMatchObject({ status: 400 })
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 400 })
    await kernel.cloud.deleteStaticRole({ name: 'r' })
  })

  it.each(['getUser', 'listAccessKeys', 'createAccessKey', 'deleteAccessKey'] as const)(
    'returns 502 and stores nothing if the cloud refuses the call %s',
    async (call: CloudCall) => {
      const world = await openStaticRoleWorld()
      const { kernel, cloud } = world
      cloud.trouble({ call, manner: 'refuses' })
      await expect(kernel.cloud.writeStaticRole(writing('app-two'))).rejects.toMatchObject({ status: 502, code: 'ERR_UPSTREAM' })
      await expect(kernel.cloud.readStaticRole({ name: 'r' })).rejects.toMatchObject({ status: 404 })
      await expect(kernel.cloud.staticCreds({ name: 'r' })).rejects.toMatchObject({ status: 404 })
      await kernel.cloud.writeStaticRole(writing('app-two'))
      await goodKey(world, 'r')
    },
  )

  it.each(['loses', 'garbles'] as const)('later deletes a key whose creation answer was lost (%s)', async (manner) => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud, clock } = world
    const before = keysOf(world, 'app-one')
    cloud.trouble({ call: 'createAccessKey', manner })
    await expect(kernel.cloud.writeStaticRole(writing('app-one'))).rejects.toMatchObject({ status: 502 })
    expect(keysOf(world, 'app-one')).toEqual(before)
    // Now the search for the lost key fails as well.
    cloud.trouble({ call: 'createAccessKey', manner })
    cloud.trouble({ call: 'listAccessKeys', manner: 'unreachable', every: 2 })
    await expect(kernel.cloud.writeStaticRole(writing('app-one'))).rejects.toMatchObject({ status: 502 })
    expect(keysOf(world, 'app-one').length).toBe(2)
    await clock.advance(2 * MINUTE)
    await kernel.tick()
    expect(keysOf(world, 'app-one')).toEqual(before)
  })

  it('deletes a key that the cloud returns after the request has timed out', async () => {
    const clock = fakeClock()
    const fake = fakeCloudProvider({ root: ROOT, now: clock.now })
    let come = (): void => {}
    const slow: CloudProvider = {
      connect(settings) {
        const client = fake.connect(settings)
        const createAccessKey: typeof client.createAccessKey = async (...args) => {
          const made = await client.createAccessKey(...args)
          await new Promise<void>((resolve) => {
            come = resolve
          })
          return made
        }
        return new Proxy(client, {
          get: (target, name) => (name === 'createAccessKey' ? createAccessKey : Reflect.get(target, name)),
        })
      },
    }
    const kernel = await createDevKernel({ clock, ports: { cloud: slow } })
    await kernel.cloud.configureRoot(ROOT)
    const written = kernel.cloud.writeStaticRole(writing('app-none')).catch((error: { status?: number }) => error.status)
    await clock.advance(20_000)
    expect(await written).toBe(502)
    expect(keysOf({ cloud: fake }, 'app-none').length).toBe(1)
    come()
    await clock.advance(0)
    expect(keysOf({ cloud: fake }, 'app-none')).toEqual([])
  })

  it('can be repeated immediately after a lost answer, and keeps the key that the user had before', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    const [own] = keysOf(world, 'app-one')
    cloud.trouble({ call: 'createAccessKey', manner: 'loses' })
    cloud.trouble({ call: 'listAccessKeys', manner: 'unreachable', every: 2 })
    await expect(kernel.cloud.writeStaticRole(writing('app-one'))).rejects.toMatchObject({ status: 502 })
    await kernel.cloud.writeStaticRole(writing('app-one'))
    expect(keysOf(world, 'app-one')).toEqual([own, await goodKey(world, 'r')])
    await pass(world, 5 * MINUTE)
    expect(keysOf(world, 'app-one')).toEqual([own, await goodKey(world, 'r')])
  })
})

describe('an update of a static role', () => {
  it('keeps the key of the role', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    await kernel.cloud.writeStaticRole(writing('app-none'))
    const key = await goodKey(world, 'r')
    const from = cloud.calls.length
    await kernel.cloud.writeStaticRole({ name: 'r', rotation_period: 7200 })
    expect(callsSince(world, from)).toEqual([])
    expect((await kernel.cloud.writeStaticRole({ name: 'r', username: 'app-none' })).rotation_period).toBe(7200)
    expect(callsSince(world, from)).toEqual(['getUser'])
    expect(await goodKey(world, 'r')).toBe(key)
    await expect(kernel.cloud.writeStaticRole({ name: 'r', username: 'app-more' })).rejects.toMatchObject({ status: 400 })
    await expect(kernel.cloud.writeStaticRole({ name: 'r', rotation_period: 59 })).rejects.toMatchObject({ status: 400 })
    expect((await kernel.cloud.readStaticRole({ name: 'r' })).rotation_period).toBe(7200)
  })

  it('starts a new rotation period (hashicorp/vault#21967)', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, clock } = world
    await kernel.cloud.writeStaticRole({ ...writing('app-none'), rotation_period: 24 * PERIOD })
    const key = await goodKey(world, 'r')
    await clock.advance(HOUR)
    await kernel.cloud.writeStaticRole({ name: 'r', rotation_period: 600 })
    await pass(world, 9 * MINUTE)
    expect(await goodKey(world, 'r')).toBe(key)
    await pass(world, MINUTE)
    const next = await goodKey(world, 'r')
    expect(next).not.toBe(key)
    // A longer period replaces the shorter one.
    await kernel.cloud.writeStaticRole({ name: 'r', rotation_period: 7200 })
    await pass(world, HOUR)
    expect(await goodKey(world, 'r')).toBe(next)
  })

  it('is refused if another user of the same name has replaced the user', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    await kernel.cloud.writeStaticRole(writing('app-none'))
    cloud.removeUser('app-none')
    cloud.addUser('app-none', { keys: 2 })
    const before = keysOf(world, 'app-none')
    await expect(kernel.cloud.writeStaticRole({ name: 'r', username: 'app-none' })).rejects.toMatchObject({ status: 400 })
    const events: unknown[] = []
    kernel.events.on('static_role.rotation_failed', (event) => void events.push(event))
    await pass(world, 2 * HOUR)
    expect(events).toContainEqual(
      expect.objectContaining({ name: 'r', username: 'app-none', reason: expect.stringMatching(/^username: /) }),
    )
    expect(keysOf(world, 'app-none')).toEqual(before)
    await kernel.cloud.deleteStaticRole({ name: 'r' })
    expect(keysOf(world, 'app-none')).toEqual(before)
  })
})

describe('deletion of a static role', () => {
  it('deletes the key of the role, but not the other keys of the user', async () => {
    const world = await openStaticRoleWorld()
    const { kernel } = world
    const [own] = keysOf(world, 'app-one')
    await kernel.cloud.writeStaticRole(writing('app-one'))
    await kernel.cloud.deleteStaticRole({ name: 'r' })
    expect(keysOf(world, 'app-one')).toEqual([own])
    await expect(kernel.cloud.readStaticRole({ name: 'r' })).rejects.toMatchObject({ status: 404 })
    await kernel.cloud.deleteStaticRole({ name: 'r' })
    await pass(world, 2 * HOUR)
    expect(keysOf(world, 'app-one')).toEqual([own])
    // A new role of the same name may adopt another user.
    await kernel.cloud.writeStaticRole(writing('app-none'))
    await goodKey(world, 'r')
  })

  it('returns 502 if the cloud refuses, and the role can still be used', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    await kernel.cloud.writeStaticRole(writing('app-none'))
    for (const manner of ['refuses', 'throttled', 'fails', 'unreachable'] as const) {
      cloud.trouble({ call: 'deleteAccessKey', manner })
      await expect(kernel.cloud.deleteStaticRole({ name: 'r' })).rejects.toMatchObject({ status: 502 })
      await goodKey(world, 'r')
    }
    await kernel.cloud.deleteStaticRole({ name: 'r' })
    expect(keysOf(world, 'app-none')).toEqual([])
  })

  it('succeeds if the user no longer exists', async () => {
    const { kernel, cloud } = await openStaticRoleWorld()
    await kernel.cloud.writeStaticRole(writing('app-none'))
    cloud.removeUser('app-none')
    await kernel.cloud.deleteStaticRole({ name: 'r' })
    await expect(kernel.cloud.readStaticRole({ name: 'r' })).rejects.toMatchObject({ status: 404 })
  })

  it('makes reading the credentials fail while it is unknown whether the cloud has deleted the key', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud, clock } = world
    await kernel.cloud.writeStaticRole(writing('app-none'))
    cloud.trouble({ call: 'deleteAccessKey', manner: 'loses' })
    cloud.trouble({ call: 'listAccessKeys', manner: 'unreachable' })
    await expect(kernel.cloud.deleteStaticRole({ name: 'r' })).rejects.toMatchObject({ status: 502 })
    await expect(kernel.cloud.staticCreds({ name: 'r' })).rejects.toMatchObject({ status: 404 })
    expect(await kernel.cloud.readStaticRole({ name: 'r' })).toMatchObject({ username: 'app-none' })
    await clock.advance(2 * MINUTE)
    await kernel.tick()
    await expect(kernel.cloud.readStaticRole({ name: 'r' })).rejects.toMatchObject({ status: 404 })
    expect(keysOf(world, 'app-none')).toEqual([])
  })
})

it('secret keys of static roles never appear in events or error messages', async () => {
  const outputs: unknown[] = []
  const { kernel, cloud, clock } = await openStaticRoleWorld().then(async (world) => {
    world.kernel.events.on('*', (event) => void outputs.push(event))
    return world
  })
  const secrets = new Set<string>([ROOT.secret_key])
  const keep = () => {
    for (const user of cloud.users.values()) for (const { secretAccessKey } of user.keys) secrets.add(secretAccessKey)
  }
  await kernel.cloud.writeStaticRole(writing('app-one'))
  keep()
  await clock.advance(HOUR)
  await kernel.tick()
  keep()
  cloud.trouble({ manner: new Error(`no such key ${ROOT.secret_key}`) })
  outputs.push(await kernel.cloud.writeStaticRole(writing('app-none', 'n')).catch((error: Error) => error.message))
  outputs.push(await kernel.cloud.rotateRoot())
  keep()
  await kernel.cloud.deleteStaticRole({ name: 'r' })
  const text = JSON.stringify(outputs)
  expect(text).toContain('static_role.rotated')
  for (const secret of secrets) expect(text).not.toContain(secret)
})
