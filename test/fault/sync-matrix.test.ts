/**
 * Whatever an external store does at a call, and wherever the process dies: ticks bring store and status to agreement, and nothing is left
 * behind where a secret is not pushed any more.
 */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage } from '../../src/index.ts'
import { crashingStorage, type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { calmDown, drive, openProcess } from './sync-process.ts'
import { type Manner, type RunningStore, STORES, type StoreUnderTest } from './sync-stores.ts'

const MANNERS: readonly Manner[] = ['fails', 'throttles', 'hangs', 'drops', 'drops-after']

const named = (type: StoreUnderTest['type']) => ({ type, name: 'd' })

/** All that is done, in order; what the store refuses meanwhile is left to ticks. */
function works(kernel: Kernel, { type }: StoreUnderTest): readonly (() => Promise<unknown>)[] {
  const kv = kernel.kv2.at('kv/')
  const set = (secret_name: string) => kernel.sync.setAssociation({ ...named(type), mount: 'kv', secret_name })
  const remove = (secret_name: string) => kernel.sync.removeAssociation({ ...named(type), mount: 'kv', secret_name })
  return [
    () => set('first'),
    () => set('second'),
    () => kv.writeSecret({ path: 'first', data: { n: 2 } }),
    () => kernel.tick(),
    () => kv.deleteLatest({ path: 'second' }),
    () => kernel.tick(),
    () => set('third'),
    () => remove('third'),
    () => kv.writeSecret({ path: 'first', data: { n: 3 } }),
    () => kernel.tick(),
  ]
}

async function furnished(clock: FakeClock, store: StoreUnderTest, running: RunningStore) {
  const storage = memoryStorage()
  const kernel = await openProcess(storage, clock, store, running)
  await kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
  for (const path of ['first', 'second', 'third']) await kernel.kv2.at('kv/').writeSecret({ path, data: { n: 1 } })
  await running.configure(kernel)
  return { storage, kernel }
}

/** What the works come to, each done or given up: what is live of what is still associated. */
async function expectAgreement(kernel: Kernel, store: StoreUnderTest, running: RunningStore): Promise<void> {
  const { associated_secrets } = await kernel.sync.readAssociations(named(store.type))
  const wanted = new Map<string, string>()
  for (const { secret_name, sync_status } of Object.values(associated_secrets)) {
    const live = await kernel.kv2
      .at('kv/')
      .readSecret({ path: secret_name })
      .catch(() => undefined)
    expect([secret_name, sync_status]).toEqual([secret_name, live ? 'SYNCED' : 'UNSYNCED'])
    if (live) wanted.set(secret_name, JSON.stringify(live.data))
  }
  expect(Object.fromEntries(running.values())).toEqual(Object.fromEntries(wanted))
}

describe.each(STORES)('on $name', (store) => {
  it.each([1, 2, 3, 4, 5, 6].flatMap((at) => MANNERS.flatMap((manner) => [1, 3].map((times) => ({ at, manner, times })))))(
    'call $at $manner, $times times',
    async ({ at, manner, times }) => {
      const clock = fakeClock()
      const running = await store.open()
      const { kernel } = await furnished(clock, store, running)
      running.trouble({ at, manner, times })
      // Each is answered: what the store does not do in time is PENDING or an error of its status, and no refusal.
      for (const work of works(kernel, store)) expect(await drive(clock, work())).not.toBe('never')
      running.calm()
      await calmDown(kernel, clock)
      const { associated_secrets } = await kernel.sync.readAssociations(named(store.type))
      expect(Object.values(associated_secrets).map(({ secret_name }) => secret_name)).toEqual(['first', 'second'])
      await expectAgreement(kernel, store, running)
      expect(Object.fromEntries(running.values())).toEqual({ first: '{"n":3}' })
      await kernel.close()
      await running.stop()
    },
  )

  it('dies before or after any of its commits', async () => {
    let commits = 0
    for (let crashAt = 1; crashAt === 1 || crashAt <= commits; crashAt++)
      for (const when of ['before', 'after'] as const) {
        const clock = fakeClock()
        const running = await store.open()
        const { storage, kernel: first } = await furnished(clock, store, running)
        await first.close()
        const inner = crashingStorage(storage, { crashAt, when })
        const dying = await openProcess(inner, clock, store, running).catch(() => undefined)
        if (dying)
          for (const work of works(dying, store)) {
            await drive(
              clock,
              work().catch(() => undefined),
            )
            if (inner.crashed) break
          }
        if (!inner.crashed) commits = inner.commits
        else commits = Math.max(commits, crashAt + 1)
        const next = await openProcess(storage, clock, store, running)
        await calmDown(next, clock)
        await expectAgreement(next, store, running)
        // Nothing is left behind.
        for (const secret_name of ['first', 'second', 'third'])
          await next.sync.removeAssociation({ ...named(store.type), mount: 'kv', secret_name })
        await calmDown(next, clock)
        expect(Object.fromEntries(running.values())).toEqual({})
        await next.close()
        await running.stop()
        if (!inner.crashed) return
      }
  }, 600_000)
})
