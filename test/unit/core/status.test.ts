import { expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { bytesOf } from '../../property/support.ts'

const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000

async function three() {
  const clock = fakeClock(START)
  const storage = memoryStorage()
  const open = (on: Storage = storage): Promise<Kernel> =>
    createKernel({ storage: on, clock, seal: keySeal(bytesOf(32, 8)), initialize: true })
  return { clock, storage, open, kernels: [await open(), await open(), await open()] as const }
}

it('kernel.status contains the id of its kernel and the owners of all claims', async () => {
  const { clock, kernels } = await three()
  const [a, b, c] = kernels
  await a.namespaces.createNamespace({ name: 'team' })
  await a.namespace('team/').mounts.createMount({ path: 'keys/', type: 'transit' })
  await a.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
  await a.namespace('team/').transit.at('keys/').createKey({ name: 'k', auto_rotate_period: '2h' })
  expect(await b.status()).toMatchObject({ state: 'open', shared: true, claims: [] })
  await clock.advance(HOUR)
  await a.tick()
  await clock.advance(HOUR)
  await b.tick()
  const [own, otherStatus, third] = await Promise.all([a.status(), b.status(), c.status()])
  expect(new Set([own.id, otherStatus.id, third.id]).size).toBe(3)
  expect(third.claims.toSorted((x, y) => (x.since < y.since ? -1 : 1))).toMatchObject([
    { lane: 'rotation', path: 'transit/', owner: own.id, since: '2026-01-01T01:00:00.000Z' },
    { lane: 'rotation', path: 'team/keys/', owner: otherStatus.id, since: '2026-01-01T02:00:00.000Z' },
  ])
  expect([own.claims, otherStatus.claims]).toEqual([third.claims, third.claims])
  await b.close()
  expect((await c.status()).claims).toMatchObject([{ path: 'transit/', owner: own.id }])
})

it('kernel.status contains the number of due items and the next due time of each lane', async () => {
  const { clock, kernels } = await three()
  const [kernel] = kernels
  for (const name of ['x', 'y', 'z']) await kernel.transit.createKey({ name, auto_rotate_period: '1h' })
  const rotation = async () => (await kernel.status()).due.find(({ lane }) => lane === 'rotation')
  expect(await rotation()).toEqual({ lane: 'rotation', due: 0, scheduled: 3, next_due_at: '2026-01-01T01:00:00.000Z' })
  await clock.advance(HOUR)
  expect(await rotation()).toEqual({ lane: 'rotation', due: 3, scheduled: 3, next_due_at: '2026-01-01T01:00:00.000Z' })
  await kernel.tick()
  expect(await rotation()).toEqual({ lane: 'rotation', due: 0, scheduled: 3, next_due_at: '2026-01-01T02:00:00.000Z' })
})

it('kernel.status contains the cache age, the staleness bound and the applied revision', async () => {
  const { clock, open, storage, kernels } = await three()
  const deaf = await open({ ...storage, watch: async () => async () => {} })
  const { applied_revision } = await deaf.status()
  await kernels[0].transit.createKey({ name: 'k' })
  await clock.advance(700)
  const cache = { stalenessMs: 2000, ageMs: 700 }
  expect(await deaf.status()).toMatchObject({ applied_revision, cache })
  expect((await kernels[1].status()).applied_revision).toBe(await storage.revision())
  await clock.advance(2000)
  await deaf.transit.readKey({ name: 'k' })
  expect(await deaf.status()).toMatchObject({ applied_revision: await storage.revision(), cache: { ageMs: 0 } })
})

it('kernel.status can be called in every state of the kernel', async () => {
  const { clock, storage, kernels } = await three()
  const [kernel] = kernels
  await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
  await clock.advance(HOUR)
  await kernel.tick()
  const { id, claims } = await kernel.status()
  expect(claims).toHaveLength(1)
  await kernel.seal.seal()
  expect(await kernel.status()).toMatchObject({ id, state: 'sealed', claims: [], due: [] })
  await kernel.close()
  expect(await kernel.status()).toMatchObject({ id, state: 'closed', claims: [], due: [] })
  const fresh = await createKernel({ storage: memoryStorage(), clock, seal: keySeal(bytesOf(32, 8)) })
  expect(await fresh.status()).toMatchObject({ state: 'uninitialized', applied_revision: 0 })
  const alone = { ...storage, caps: { ...storage.caps, shared: false } }
  const lonely = await createKernel({ storage: alone, clock, seal: keySeal(bytesOf(32, 8)) })
  await clock.advance(HOUR)
  expect(await lonely.status()).toMatchObject({ shared: false, cache: { ageMs: 0 } })
})
