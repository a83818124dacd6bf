/** The failure matrix of secret sync: its work, the calls and commits at which it can fail, and how one cell is run. */
import { expect } from 'vitest'
import { type Kernel, memoryStorage } from '../../src/index.ts'
import { crashingStorage, type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { TIER } from '../tiers.ts'
import { calmDown, openProcess } from './sync-process.ts'
import type { Manner, RunningStore, StoreUnderTest } from './sync-stores.ts'

/** The call number `at`, counted from 1, fails. */
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

/** All calls and commits of the work, if nothing fails. */
export interface Points {
  readonly calls: readonly string[]
  readonly commits: number
}

export const MANNERS: readonly Manner[] = ['fails', 'throttles', 'hangs', 'drops', 'drops-after']

export const WHENS = ['before', 'after'] as const

/** Every call with every failure, alternately once and three times. The soak tier does both. */
export const everyCell = ({ calls }: Points): readonly Cell[] =>
  calls.flatMap((call, at) =>
    MANNERS.flatMap((manner, way) =>
      [1, 3]
        .filter((_, turn) => TIER === 'soak' || turn === (at + way) % 2)
        .map((times): Cell => ({ call, at: at + 1, manner, times })),
    ),
  )

/** Deaths before and after every commit. */
export const everyDeath = ({ commits }: Points): readonly Death[] =>
  Array.from({ length: commits }, (_, at) => WHENS.map((when): Death => ({ at: at + 1, when }))).flat()

const PATHS = ['first', 'second', 'third'] as const

const named = (type: StoreUnderTest['type']) => ({ type, name: 'd' })

/** The steps of the work, in order. Ticks repeat what the store refuses. */
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

/** The expected values by external name, from values by secret path. */
function outside({ destination }: RunningStore, values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { normalizeName } = destination.rules
  return Object.fromEntries(Object.entries(values).map(([path, value]) => [normalizeName(path), value]))
}

/** Checks that the store has exactly the live secrets with an association. */
async function expectAgreement(kernel: Kernel, store: StoreUnderTest, running: RunningStore): Promise<void> {
  const { associated_secrets } = await kernel.sync.readAssociations(named(store.type))
  const expected: Record<string, string> = {}
  for (const { secret_name, sync_status } of Object.values(associated_secrets)) {
    const live = await kernel.kv2
      .at('kv/')
      .readSecret({ path: secret_name })
      .catch(() => undefined)
    expect([secret_name, sync_status]).toEqual([secret_name, live ? 'SYNCED' : 'UNSYNCED'])
    if (live) expected[secret_name] = JSON.stringify(live.data)
  }
  expect(Object.fromEntries(running.values())).toEqual(outside(running, expected))
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
  // Every call is answered. A push that the store did not complete is PENDING or has an error status, and the call itself succeeds.
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
  // No value stays in the store without an association.
  for (const secret_name of PATHS)
    await running.drive(clock, next.sync.removeAssociation({ ...named(store.type), mount: 'kv', secret_name }))
  await calmDown(next, clock, running.drive)
  expect(Object.fromEntries(running.values())).toEqual({})
  await next.close()
  await running.stop()
}
