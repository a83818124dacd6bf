/** What the failure matrix of secret sync is made of: its works, where they can go wrong, and one cell from beginning to end. */
import { expect } from 'vitest'
import { type Kernel, memoryStorage } from '../../src/index.ts'
import { crashingStorage, type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { TIER } from '../tiers.ts'
import { calmDown, openProcess } from './sync-process.ts'
import type { Manner, RunningStore, StoreUnderTest } from './sync-stores.ts'

/** A call that goes wrong, counted from 1. */
export interface Cell {
  readonly call: string
  readonly at: number
  readonly manner: Manner
  readonly times: number
}

export interface Death {
  readonly at: number
  readonly when: 'before' | 'after'
}

/** All that is called, and all commits, where nothing goes wrong. */
export interface Points {
  readonly calls: readonly string[]
  readonly commits: number
}

export const MANNERS: readonly Manner[] = ['fails', 'throttles', 'hangs', 'drops', 'drops-after']

export const WHENS = ['before', 'after'] as const

/** Every call in every manner, in turn once and three times; in the soak tier both. */
export const everyCell = ({ calls }: Points): readonly Cell[] =>
  calls.flatMap((call, at) =>
    MANNERS.flatMap((manner, way) =>
      [1, 3]
        .filter((_, turn) => TIER === 'soak' || turn === (at + way) % 2)
        .map((times): Cell => ({ call, at: at + 1, manner, times })),
    ),
  )

/** Before and after every commit. */
export const everyDeath = ({ commits }: Points): readonly Death[] =>
  Array.from({ length: commits }, (_, at) => WHENS.map((when): Death => ({ at: at + 1, when }))).flat()

const PATHS = ['first', 'second', 'third'] as const

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
  for (const path of PATHS) await kernel.kv2.at('kv/').writeSecret({ path, data: { n: 1 } })
  await running.configure(kernel)
  return { storage, kernel }
}

/** By external name, of values by the path of the secret. */
function outside({ destination }: RunningStore, values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { normalizeName } = destination.rules
  return Object.fromEntries(Object.entries(values).map(([path, value]) => [normalizeName(path), value]))
}

/** What the works come to, each done or given up: what is live of what is still associated. */
async function expectAgreement(kernel: Kernel, store: StoreUnderTest, running: RunningStore): Promise<void> {
  const { associated_secrets } = await kernel.sync.readAssociations(named(store.type))
  const wanted: Record<string, string> = {}
  for (const { secret_name, sync_status } of Object.values(associated_secrets)) {
    const live = await kernel.kv2
      .at('kv/')
      .readSecret({ path: secret_name })
      .catch(() => undefined)
    expect([secret_name, sync_status]).toEqual([secret_name, live ? 'SYNCED' : 'UNSYNCED'])
    if (live) wanted[secret_name] = JSON.stringify(live.data)
  }
  expect(Object.fromEntries(running.values())).toEqual(outside(running, wanted))
}

export async function pointsOf(store: StoreUnderTest): Promise<Points> {
  const clock = fakeClock()
  const running = await store.open()
  const { storage, kernel: first } = await furnished(clock, store, running)
  await first.close()
  const counting = crashingStorage(storage)
  const kernel = await openProcess(counting, clock, store, running)
  for (const work of works(kernel, store)) await running.drive(clock, work())
  const points = { calls: running.calls(), commits: counting.commits }
  await kernel.close()
  await running.stop()
  return points
}

export async function goWrong(store: StoreUnderTest, { at, manner, times }: Cell): Promise<void> {
  const clock = fakeClock()
  const running = await store.open()
  const { kernel } = await furnished(clock, store, running)
  running.trouble({ at, manner, times })
  // Each is answered: what the store does not do in time is PENDING or an error of its status, and no refusal.
  for (const work of works(kernel, store)) expect(await running.drive(clock, work())).not.toBe('never')
  expect(running.calls().length).toBeGreaterThanOrEqual(at)
  running.calm()
  await calmDown(kernel, clock, running.drive)
  const { associated_secrets } = await kernel.sync.readAssociations(named(store.type))
  expect(Object.values(associated_secrets).map(({ secret_name }) => secret_name)).toEqual(['first', 'second'])
  await expectAgreement(kernel, store, running)
  expect(Object.fromEntries(running.values())).toEqual(outside(running, { first: '{"n":3}' }))
  await kernel.close()
  await running.stop()
}

export async function die(store: StoreUnderTest, { at, when }: Death): Promise<void> {
  const clock = fakeClock()
  const running = await store.open()
  const { storage, kernel: first } = await furnished(clock, store, running)
  await first.close()
  const inner = crashingStorage(storage, { crashAt: at, when })
  const dying = await openProcess(inner, clock, store, running).catch(() => undefined)
  if (dying)
    for (const work of works(dying, store)) {
      await running.drive(
        clock,
        work().catch(() => undefined),
      )
      if (inner.crashed) break
    }
  expect(inner.crashed).toBe(true)
  const next = await openProcess(storage, clock, store, running)
  await calmDown(next, clock, running.drive)
  await expectAgreement(next, store, running)
  // Nothing is left behind.
  for (const secret_name of PATHS)
    await running.drive(clock, next.sync.removeAssociation({ ...named(store.type), mount: 'kv', secret_name }))
  await calmDown(next, clock, running.drive)
  expect(Object.fromEntries(running.values())).toEqual({})
  await next.close()
  await running.stop()
}
