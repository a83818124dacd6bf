/** If a reply is lost during a rotation of the root key, the stored key still works, and in the end the user has no other key. */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../../src/index.ts'
import { fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'
import { callsSince, keysOf, MINUTE, openStaticRoleWorld, ROOT, type StaticRoleWorld } from './static-role-world.ts'

const stored = async ({ kernel }: StaticRoleWorld): Promise<string> => (await kernel.cloud.readRoot()).access_key

/** Asserts that the mount can call the cloud: it adopts a user and releases it. */
async function works(world: StaticRoleWorld): Promise<void> {
  await world.kernel.cloud.writeStaticRole({ name: 'probe', username: 'app-more', rotation_period: 3600 })
  await world.kernel.cloud.deleteStaticRole({ name: 'probe' })
}

async function settled(world: StaticRoleWorld): Promise<void> {
  for (let minute = 0; minute < 5; minute++) {
    await world.clock.advance(MINUTE)
    await world.kernel.tick()
  }
  expect(keysOf(world, 'engine-root')).toEqual([await stored(world)])
  await works(world)
}

describe('cloud.rotateRoot', () => {
  it('stores a new key, and then deletes the previous key', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    const from = cloud.calls.length
    const { access_key } = await kernel.cloud.rotateRoot()
    expect(callsSince(world, from).filter((call) => call !== 'listAccessKeys')).toEqual([
      'getUser',
      'createAccessKey',
      'deleteAccessKey',
    ])
    expect(cloud.calls.slice(from).map(({ access_key: by }) => by)).toEqual(new Array(4).fill(ROOT.access_key))
    expect(access_key).not.toBe(ROOT.access_key)
    expect([await stored(world), ...keysOf(world, 'engine-root')]).toEqual([access_key, access_key])
    await works(world)
    expect(cloud.works(ROOT.access_key, ROOT.secret_key)).toBe(false)
    await kernel.cloud.rotateRoot()
    await settled(world)
    await kernel.close()
    expect(cloud.open).toBe(0)
  })

  it('returns 400 and changes nothing if the user has a second key', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    const otherKey = cloud.addKey('engine-root')
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 400 })
    // The result is the same if the key must not list keys.
    cloud.trouble({ call: 'listAccessKeys', manner: 'refuses' })
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 400 })
    expect(keysOf(world, 'engine-root')).toEqual([ROOT.access_key, otherKey.accessKeyId])
    expect(await stored(world)).toBe(ROOT.access_key)
  })

  it('succeeds without the permission to list access keys', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    const over = cloud.trouble({ call: 'listAccessKeys', manner: 'refuses', times: Number.POSITIVE_INFINITY })
    const { access_key } = await kernel.cloud.rotateRoot()
    expect(keysOf(world, 'engine-root')).toEqual([access_key])
    over()
    await settled(world)
  })

  it('returns 400 if the provider supplies ambient credentials', async () => {
    await using kernel = await createDevKernel({ ports: { cloud: fakeCloudProvider({ ambient: ROOT }) } })
    await kernel.cloud.configureRoot({})
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 400 })
  })

  it.each([
    ['getUser', 'refuses'],
    ['getUser', 'loses'],
    ['listAccessKeys', 'fails'],
    ['createAccessKey', 'refuses'],
    ['createAccessKey', 'throttled'],
    ['createAccessKey', 'unreachable'],
    ['createAccessKey', 'loses'],
    ['createAccessKey', 'garbles'],
  ] as const)('changes nothing if %s fails in the manner %s, and succeeds when repeated', async (call, manner) => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    cloud.trouble({ call, manner })
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 502 })
    expect(await stored(world)).toBe(ROOT.access_key)
    expect(keysOf(world, 'engine-root')).toEqual([ROOT.access_key])
    const { access_key } = await kernel.cloud.rotateRoot()
    expect(await stored(world)).toBe(access_key)
    await settled(world)
  })

  it('later deletes a key whose creation answer was lost', async () => {
    for (const again of [false, true]) {
      const world = await openStaticRoleWorld()
      const { kernel, cloud } = world
      cloud.trouble({ call: 'createAccessKey', manner: 'loses' })
      cloud.trouble({ call: 'listAccessKeys', manner: 'unreachable', every: 2 })
      await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 502 })
      expect(keysOf(world, 'engine-root').length).toBe(2)
      if (again) await kernel.cloud.rotateRoot()
      await settled(world)
    }
  })

  it.each(['refuses', 'throttled', 'loses', 'unreachable'] as const)(
    'completes later if the previous key cannot be deleted (%s)',
    async (manner) => {
      for (const again of [false, true]) {
        const world = await openStaticRoleWorld()
        const { kernel, cloud } = world
        cloud.trouble({ call: 'deleteAccessKey', manner })
        await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 502 })
        const access_key = await stored(world)
        expect(access_key).not.toBe(ROOT.access_key)
        await works(world)
        if (again) expect((await kernel.cloud.rotateRoot()).access_key).toBe(access_key)
        await settled(world)
        expect(await stored(world)).toBe(access_key)
      }
    },
  )

  it('keeps the new key while the cloud does not accept it yet', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    cloud.delays.keys_ms = 10_000
    cloud.trouble({ call: 'deleteAccessKey', manner: 'refuses' })
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 502 })
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 502 })
    expect(keysOf(world, 'engine-root').length).toBe(2)
    await settled(world)
    const { access_key } = await kernel.cloud.rotateRoot()
    expect(keysOf(world, 'engine-root')).toEqual([access_key])
  })

  it('does not overwrite a configuration that was written during the rotation', async () => {
    const clock = fakeClock()
    let write: (() => Promise<unknown>) | undefined
    const cloud = fakeCloudProvider({
      root: ROOT,
      now: clock.now,
      pause: async (call) => {
        if (call === 'createAccessKey') await write?.()
      },
    })
    const kernel = await createDevKernel({ clock, ports: { cloud } })
    const world = { kernel, cloud, clock }
    await kernel.cloud.configureRoot(ROOT)
    const user = cloud.addUser('another-root', { keys: 1 })
    const [{ accessKeyId: access_key, secretAccessKey: secret_key } = { accessKeyId: '', secretAccessKey: '' }] = user.keys
    write = () => kernel.cloud.configureRoot({ access_key, secret_key })
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 503 })
    write = undefined
    expect(await stored(world)).toBe(access_key)
    expect(keysOf(world, 'engine-root')).toEqual([ROOT.access_key])
    expect(keysOf(world, 'another-root')).toEqual([access_key])
  })

  it('keeps the previous key if it is configured again before the rotation is complete', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud, clock } = world
    cloud.trouble({ call: 'deleteAccessKey', manner: 'refuses' })
    await expect(kernel.cloud.rotateRoot()).rejects.toMatchObject({ status: 502 })
    await kernel.cloud.configureRoot(ROOT)
    await clock.advance(2 * MINUTE)
    await kernel.tick()
    expect(keysOf(world, 'engine-root')).toEqual([ROOT.access_key])
    await works(world)
  })

  it('does not delete the key of a static role for the same user', async () => {
    const world = await openStaticRoleWorld()
    const { kernel } = world
    const works = [
      () => kernel.cloud.rotateRoot(),
      () => kernel.cloud.writeStaticRole({ name: 'r', username: 'engine-root', rotation_period: 60 }),
      () => kernel.cloud.rotateRoot(),
    ]
    for (let round = 0; round < 10; round++) {
      await Promise.allSettled(works.map((work) => work()))
      const credentials = await kernel.cloud.staticCreds({ name: 'r' }).catch(() => undefined)
      expect(keysOf(world, 'engine-root')).toContain(await stored(world))
      if (credentials) expect(keysOf(world, 'engine-root')).toContain(credentials.access_key)
      expect(keysOf(world, 'engine-root').length).toBe(credentials ? 2 : 1)
      await kernel.cloud.deleteStaticRole({ name: 'r' })
    }
    await settled(world)
  })
})
