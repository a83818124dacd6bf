import { expect, it } from 'vitest'
import { createKernel, inProcessNetwork, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'
import { tokenOf } from '../../replication/clusters/cluster.ts'
import { goodKey, HOUR, ROOT } from './static-role-world.ts'

it('a secondary returns static role credentials without calling the cloud, and refuses changes', async () => {
  const clock = fakeClock()
  const replication = inProcessNetwork()
  const cloud = fakeCloudProvider({ root: ROOT, now: clock.now })
  const untouched = fakeCloudProvider({ root: ROOT, now: clock.now })
  const open = (seal: number, provider: typeof cloud) =>
    createKernel({
      storage: memoryStorage({ maxOps: 128 }),
      seal: keySeal(new Uint8Array(32).fill(seal)),
      clock,
      initialize: true,
      ports: { replication, cloud: provider },
    })
  const primary = await open(1, cloud)
  const secondary = await open(2, untouched)
  await primary.cloud.configureRoot(ROOT)
  await primary.cloud.writeStaticRole({ name: 'r', username: 'app-one', rotation_period: 3600 })
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
  expect((await secondary.tick()).failed).toEqual([])
  const first = await goodKey({ kernel: secondary, cloud }, 'r')

  const refused = { status: 400, code: 'ERR_READ_ONLY' }
  await expect(secondary.cloud.writeStaticRole({ name: 'n', username: 'app-none', rotation_period: 60 })).rejects.toMatchObject(
    refused,
  )
  await expect(secondary.cloud.writeStaticRole({ name: 'r', username: 'app-one' })).rejects.toMatchObject(refused)
  await expect(secondary.cloud.deleteStaticRole({ name: 'r' })).rejects.toMatchObject(refused)
  await expect(secondary.cloud.rotateRoot()).rejects.toMatchObject(refused)

  await clock.advance(HOUR)
  expect((await secondary.tick()).failed).toEqual([])
  expect(await goodKey({ kernel: secondary, cloud }, 'r')).toBe(first)
  expect((await primary.tick()).failed).toEqual([])
  expect((await secondary.tick()).failed).toEqual([])
  const second = await goodKey({ kernel: secondary, cloud }, 'r')
  expect([second === first, second]).toEqual([false, await goodKey({ kernel: primary, cloud }, 'r')])
  await primary.cloud.rotateRoot()
  await primary.cloud.deleteStaticRole({ name: 'r' })
  await secondary.tick()
  await expect(secondary.cloud.staticCreds({ name: 'r' })).rejects.toMatchObject({ status: 404 })
  expect((await secondary.cloud.readRoot()).access_key).toBe((await primary.cloud.readRoot()).access_key)
  expect(untouched.calls).toEqual([])
  await secondary.close()
  await primary.close()
})
