/** Two kernels on one store, each with its own storage adapter. */
import { describe, expect, it } from 'vitest'
import { createKernel, keySeal } from '../../../src/index.ts'
import { PLACES } from '../../fixtures/places.ts'
import { runs } from '../../fixtures/runs.ts'
import { openStoreAt, type StoreAt } from '../../fixtures/store-at.ts'
import { openWorld, worldOf } from './world.ts'

const SECRETS = Array.from({ length: runs({ quick: 6, soak: 12 }) }, (_, n) => `s${n}`)
const seal = keySeal(new Uint8Array(32).fill(3))

async function openTwo(where: StoreAt) {
  const stores = [openStoreAt(where, { shared: true }), openStoreAt(where, { shared: true })] as const
  const first = await openWorld({ storage: stores[0].storage, seal })
  const { clock, store } = first
  const second = await createKernel({ storage: stores[1].storage, clock, seal, ports: { sync: { 'cloud-a-sm': store } } })
  const kernels = [first.kernel, second] as const
  /** Ticks both kernels concurrently until neither has due work. */
  const tick = async (): Promise<void> => {
    for (let round = 0, idle = false; !idle; round++) {
      expect(round).toBeLessThan(50)
      await clock.advance(1000)
      const results = await Promise.all(kernels.map((kernel) => kernel.tick()))
      expect(results.flatMap(({ failed }) => failed)).toEqual([])
      idle = results.every(({ done, more }) => done === 0 && !more)
    }
  }
  const close = async (): Promise<void> => {
    for (const kernel of kernels) await kernel.close()
    for (const store of stores) await store.close()
  }
  return { first, second: worldOf(second), kernels, store, tick, close }
}

describe.each(PLACES)('secret sync with two kernels on one $name', ({ missing, open }) => {
  it.skipIf(missing)(`pushes each change only once${missing ? ` (${missing})` : ''}`, async () => {
    const { where, remove } = await open()
    const { first, second, kernels, store, tick, close } = await openTwo(where)
    const syncedNames: string[] = []
    for (const kernel of kernels) kernel.events.on('sync.synced', ({ secret_name }) => void syncedNames.push(secret_name))
    const turns = [first, second] as const
    const inTurn = (at: number) => turns[at % 2] as (typeof turns)[number]
    for (const path of SECRETS) await first.write(path, { n: 0 })
    await Promise.all(SECRETS.map((path, at) => inTurn(at).set(path)))
    await tick()
    for (let n = 1; n <= 2; n++) {
      // Both kernels find the change due, regardless of which one wrote it.
      await Promise.all(SECRETS.map((path, at) => inTurn(at + n).write(path, { n })))
      syncedNames.length = 0
      await tick()
      expect(Object.fromEntries(store.values)).toEqual(Object.fromEntries(SECRETS.map((path) => [`p/${path}`, `{"n":${n}}`])))
      expect(syncedNames.toSorted()).toEqual(SECRETS.toSorted())
    }
    const puts = store.calls.filter(({ call }) => call === 'put').map(({ name, value }) => `${name} ${value}`)
    expect(puts.toSorted()).toEqual(SECRETS.flatMap((path) => [0, 1, 2].map((n) => `p/${path} {"n":${n}}`)).toSorted())
    expect(store.mostPerName).toBe(1)
    await Promise.all(SECRETS.map((path, at) => inTurn(at).remove(path)))
    await tick()
    expect([store.values.size, store.calls.filter(({ call }) => call === 'remove').length]).toEqual([0, SECRETS.length])
    expect([await first.standing(), await second.standing()]).toEqual([{}, {}])
    await close()
    await remove()
  })
})
