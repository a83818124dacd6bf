/** Two kernels on one store, and calls that take effect late: in the end the external store has the current values. */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage } from '../../src/index.ts'
import { type FakeClock, type FakeSyncDestination, fakeClock, fakeSyncDestination } from '../../src/testing/index.ts'
import { calmDown, drive, openProcess } from './sync-process.ts'
import type { RunningStore, StoreUnderTest } from './sync-stores.ts'

const STORE = { name: 'fake', type: 'cloud-a-sm' } as StoreUnderTest

interface Two {
  readonly clock: FakeClock
  readonly store: FakeSyncDestination
  readonly a: Kernel
  readonly b: Kernel
  readonly write: (n: number) => Promise<unknown>
}

async function openTwo(own = fakeClock(), clock = own): Promise<Two> {
  const store = fakeSyncDestination()
  const storage = memoryStorage()
  const running = { destination: store } as unknown as RunningStore
  const a = await openProcess(storage, own, STORE, running)
  const b = await openProcess(storage, clock, STORE, running)
  await a.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
  await a.sync.writeCloudASm({ name: 'd', region: 'x', secret_name_template: '{{ .SecretPath }}' })
  const write = (n: number) => b.kv2.at('kv/').writeSecret({ path: 'a', data: { n } })
  await clock.advance(3000)
  if (own !== clock) await own.advance(3000)
  await write(1)
  return { clock, store, a, b, write }
}

const A = { type: 'cloud-a-sm', name: 'd', mount: 'kv', secret_name: 'a' } as const

const statuses = async (kernel: Kernel) =>
  Object.values((await kernel.sync.readAssociations({ type: 'cloud-a-sm', name: 'd' })).associated_secrets).map(
    ({ sync_status }) => sync_status,
  )

describe('secret sync of two kernels on one store', () => {
  it('pushes each change only once although both kernels tick', async () => {
    const { clock, store, a, b, write } = await openTwo()
    await a.sync.setAssociation(A)
    for (let n = 2; n < 12; n++) {
      await write(n)
      await drive(clock, Promise.all([a.tick(), b.tick(), b.tick()]))
      await calmDown(a, clock)
    }
    expect(store.history.get('a')).toEqual(Array.from({ length: 11 }, (_, n) => `{"n":${n + 1}}`))
    expect(store.mostPerName).toBe(1)
    await Promise.all([a.close(), b.close()])
  })

  it.each(['a newer value', 'a removal'] as const)(
    'replaces an older push by %s, although the older push completes after the other kernel took over',
    async (what) => {
      const { clock, store, a, b, write } = await openTwo()
      await a.sync.setAssociation(A)
      await write(2)
      let goOn = (): void => {}
      store.trouble({ manner: new Promise<void>((resolve) => (goOn = resolve)) })
      // The call hangs and ignores its signal, and the process does not learn the outcome either.
      const held = a.tick()
      await drive(clock, held, 2000)
      await write(3)
      if (what === 'a removal') await drive(clock, b.sync.removeAssociation(A))
      await calmDown(b, clock)
      expect(Object.fromEntries(store.values)).toEqual(what === 'a removal' ? {} : { a: '{"n":3}' })
      goOn()
      await drive(clock, held)
      await calmDown(b, clock)
      await calmDown(a, clock)
      expect(Object.fromEntries(store.values)).toEqual(what === 'a removal' ? {} : { a: '{"n":3}' })
      expect(await statuses(b)).toEqual(what === 'a removal' ? [] : ['SYNCED'])
      await Promise.all([a.close(), b.close()])
    },
  )

  it.each(['a newer value', 'a removal'] as const)(
    'replaces an older push by %s, although the process of the older push was paused',
    async (what) => {
      // The clock of the paused process does not advance, so its call does not time out.
      const paused = fakeClock()
      const { clock, store, a, b, write } = await openTwo(paused, fakeClock())
      await a.sync.setAssociation(A)
      await write(2)
      let goOn = (): void => {}
      store.trouble({ manner: new Promise<void>((resolve) => (goOn = resolve)) })
      const held = a.tick()
      while (store.inFlight === 0) await new Promise((resolve) => setImmediate(resolve))
      await write(3)
      if (what === 'a removal') await drive(clock, b.sync.removeAssociation(A))
      await calmDown(b, clock)
      expect(Object.fromEntries(store.values)).toEqual(what === 'a removal' ? {} : { a: '{"n":3}' })
      goOn()
      await drive(paused, held)
      await calmDown(b, clock)
      expect(Object.fromEntries(store.values)).toEqual(what === 'a removal' ? {} : { a: '{"n":3}' })
      expect(await statuses(b)).toEqual(what === 'a removal' ? [] : ['SYNCED'])
      await Promise.all([a.close(), b.close()])
    },
  )

  it('does not remove a secret from the external store while the other kernel is pushing it', async () => {
    const { clock, store, a, b } = await openTwo()
    let goOn = (): void => {}
    store.trouble({ manner: new Promise<void>((resolve) => (goOn = resolve)) })
    const first = a.sync.setAssociation(A)
    await drive(clock, first, 1000)
    const removed = await b.sync.removeAssociation(A)
    expect(Object.values(removed.associated_secrets).map(({ sync_status }) => sync_status)).toEqual(['PENDING'])
    goOn()
    await drive(clock, first)
    await calmDown(b, clock)
    expect([store.values.size, store.mostPerName]).toEqual([0, 1])
    expect(await statuses(b)).toEqual([])
    await Promise.all([a.close(), b.close()])
  })
})
