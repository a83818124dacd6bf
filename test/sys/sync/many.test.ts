import { expect, it } from 'vitest'
import { createKernel as createChosen } from '../../../src/chosen-kernel.ts'
import { kv } from '../../../src/engines.ts'
import { createKernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { counted } from '../../fixtures/counted-commits.ts'
import { runs } from '../../fixtures/runs.ts'
import { AWS, openWorld } from './world.ts'

const MAX_OPS = 120

const MANY = runs({ quick: 300, soak: 10_000 })
/** More destinations of one secret than fit into one commit. */
const DESTINATIONS = runs({ quick: 150, soak: 500 })

it(`the change and the removal of a secret reach all of its ${DESTINATIONS} destinations, in commits of limited size`, async () => {
  const storage = counted(memoryStorage())
  const { kernel, write, store, settle } = await openWorld({ storage })
  await write('a', { n: 1 })
  for (let at = 0; at < DESTINATIONS; at++) {
    const name = `d${at}`
    await kernel.sync.writeCloudASm({ name, ...AWS, secret_name_template: `{{ .DestinationName }}` })
    await kernel.sync.setAssociation({ type: 'cloud-a-sm', name, mount: 'kv', secret_name: 'a' })
  }
  await write('a', { n: 2 })
  await settle()
  expect(new Set(store.values.values())).toEqual(new Set(['{"n":2}']))
  expect(store.values.size).toBe(DESTINATIONS)
  await kernel.mounts.deleteMount({ path: 'kv' })
  await settle()
  expect(store.values.size).toBe(0)
  expect(storage.most).toBeLessThanOrEqual(MAX_OPS)
  await kernel.close()
})

it(`with ${MANY} associations, a changed secret is pushed alone, and at most 8 pushes run concurrently`, async () => {
  const storage = counted(memoryStorage())
  const { kernel, write, set, store, settle } = await openWorld({ storage })
  const paths = Array.from({ length: MANY }, (_, n) => `s${n}`)
  for (let at = 0; at < paths.length; at += 8)
    await Promise.all(paths.slice(at, at + 8).map(async (path) => write(path, { path }).then(() => set(path))))
  expect(store.values.size).toBe(MANY)
  let calls = store.calls.length
  await write('s77', { path: 'changed' })
  await settle()
  expect(store.calls.slice(calls).map(({ call, name }) => `${call} ${name}`)).toEqual(['describe p/s77', 'put p/s77'])
  calls = store.calls.length
  let done = 0
  const { checked, drift } = await kernel.sync.reconcile({ dry_run: true }, { onProgress: (progress) => (done = progress.done) })
  expect([checked, drift, done]).toEqual([MANY, [], MANY])
  await kernel.sync.writeCloudASm({ name: 'aws', region: 'elsewhere' })
  const before = store.calls.length
  const fresh = new Set<string>()
  await settle()
  for (const { call, name } of store.calls.slice(before)) if (call === 'put') fresh.add(name)
  expect([fresh.size, store.calls.length - before]).toEqual([MANY, 2 * MANY])
  expect(store.mostPerName).toBe(1)
  expect(store.mostInFlight).toBe(8)
  expect(storage.most).toBeLessThanOrEqual(MAX_OPS)
  await kernel.close()
})

it('a tick without due work makes equally many storage calls with 10 and with many associations', async () => {
  let calls = 0
  const inner = memoryStorage()
  const noted = <T>(answer: T): T => {
    calls++
    return answer
  }
  const storage: Storage = {
    ...inner,
    get: (key) => noted(inner.get(key)),
    getMany: (keys) => noted(inner.getMany(keys)),
    scan: (prefix, page) => noted(inner.scan(prefix, page)),
    list: (prefix, page) => noted(inner.list(prefix, page)),
    commit: (ops, id) => noted(inner.commit(ops, id)),
  }
  const { kernel, write, set, settle } = await openWorld({ storage })
  const costs: number[] = []
  for (const [from, to] of [
    [0, 10],
    [10, runs({ quick: 200, soak: 1000 })],
  ] as const) {
    for (let n = from; n < to; n++) {
      await write(`s${n}`, { n })
      await set(`s${n}`)
    }
    await settle()
    const before = calls
    await kernel.tick()
    costs.push(calls - before)
  }
  expect(costs[1]).toBe(costs[0])
  await kernel.close()
})

it('a kernel without secret sync leaves due pushes to another kernel that has secret sync', async () => {
  const storage = memoryStorage()
  const clock = fakeClock()
  const seal = keySeal(new Uint8Array(32).fill(3))
  const world = await openWorld({ storage, seal }, { clock })
  await world.write('a', { n: 1 })
  await world.set('a')
  const otherEntry = await createChosen({ storage, clock, seal, engines: [kv()] })
  await otherEntry.kv2.at('kv/').writeSecret({ path: 'a', data: { n: 2 } })
  await world.kernel.close()
  for (let tick = 0; tick < 3; tick++) await otherEntry.tick()
  await otherEntry.close()
  const again = await createKernel({ storage, clock, seal, ports: { sync: { 'cloud-a-sm': world.store } } })
  await clock.advance(3_700_000)
  await again.tick()
  expect(world.store.values.get('p/a')).toBe('{"n":2}')
  await again.close()
})
