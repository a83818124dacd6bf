/**
 * Several processes tick on one store. Due work is done once, even if one of them is killed or paused during the work.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compiled } from '../fixtures/compiled.ts'
import type { Place } from '../fixtures/places.ts'
import { runs } from '../fixtures/runs.ts'
import { onEachStore } from './on-each-store.ts'
import { HOUR, KEYS, MOUNTS, StoreProcesses, TICKER, TTL, until } from './store-processes.ts'
import type { ParentMessage } from './ticker.child.ts'

const PROCESSES = [2, 4, 8].slice(0, runs({ quick: 2, soak: 3 }))
const HOURS = runs({ quick: 3, soak: 10 })

beforeAll(() => {
  compiled(TICKER)
})

onEachStore('processes that tick', (open) => {
  const places: Place[] = []
  afterAll(() => Promise.all(places.map((place) => place.remove())))
  const openProcesses = async (): Promise<StoreProcesses> => {
    const place = await open()
    places.push(place)
    return StoreProcesses.open(place.where)
  }

  it.each(PROCESSES)('rotate every key exactly once an hour: %i processes', async (processes) => {
    const storeProcesses = await openProcesses()
    await Promise.all(Array.from({ length: processes }, () => storeProcesses.start()))
    for (let hour = 1; hour <= HOURS; hour++) {
      storeProcesses.pass(HOUR)
      await storeProcesses.untilAll(hour + 1)
    }
    await storeProcesses.end()
    expect(storeProcesses.tickers.reduce((sum, { items }) => sum + items, 0)).toBe(HOURS * MOUNTS * KEYS)
  })

  it('take over the due work of a killed process when its claims have expired, and not earlier', async () => {
    const storeProcesses = await openProcesses()
    const victim = await storeProcesses.start({ freeItems: 2 })
    storeProcesses.pass(HOUR)
    await until(() => victim.begun >= 3, 'the first items')
    const { claims } = await storeProcesses.kernel.status()
    expect(claims.map(({ owner }) => owner)).toEqual(claims.map(() => victim.id))
    expect(claims.length).toBeGreaterThan(0)
    victim.child.kill()
    expect(await victim.child.ended).toBe('killed')
    storeProcesses.tickers.length = 0
    const heirs = await Promise.all([storeProcesses.start(), storeProcesses.start()])
    // They do the unclaimed work and have seen the claims.
    await until(() => heirs.every(({ idleTicks }) => idleTicks > 1), 'ticks in which nothing is left to do')
    const left = await storeProcesses.versions()
    expect(left).toContain(1)
    storeProcesses.pass(TTL - 1)
    await until(() => heirs.every(({ ticked }) => ticked === storeProcesses.now), 'ticks before time')
    expect(await storeProcesses.versions()).toEqual(left)
    storeProcesses.pass(1)
    await storeProcesses.untilAll(2)
    const { claims: inherited } = await storeProcesses.kernel.status()
    // Completed mounts are not taken over.
    const open = new Set(left.flatMap((version, key) => (version === 1 ? [`m${Math.floor(key / KEYS)}/`] : [])))
    for (const { owner, path = '' } of inherited) if (open.has(path)) expect(heirs.map(({ id }) => id)).toContain(owner)
    await storeProcesses.end()
  })

  it('take over the due work of a paused process, which commits nothing after it resumes', async () => {
    const storeProcesses = await openProcesses()
    const sleeper = await storeProcesses.start({ freeItems: 0 })
    storeProcesses.pass(HOUR)
    await until(() => sleeper.begun > 0, 'the first item')
    // Pauses the process between its claim and its commit.
    sleeper.child.pause()
    const heir = await storeProcesses.start()
    await until(() => heir.ticked === storeProcesses.now, 'a look at the claims')
    await storeProcesses.untilAll(2, true)
    expect(heir.items).toBe(MOUNTS * KEYS)
    sleeper.child.resume()
    sleeper.child.send('release' satisfies ParentMessage)
    await until(() => sleeper.ticked > 0, 'the end of its tick')
    expect(new Set(await storeProcesses.versions())).toEqual(new Set([2]))
    expect([sleeper.items, heir.items]).toEqual([0, MOUNTS * KEYS])
    // The resumed process takes part in the work again.
    storeProcesses.pass(HOUR)
    await storeProcesses.untilAll(3, true)
    await storeProcesses.end()
  })
})
