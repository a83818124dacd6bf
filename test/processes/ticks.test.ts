/**
 * Several processes that tick on one store: what is due is done once, also when one of them is killed or stopped at its work.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compiled } from '../fixtures/compiled.ts'
import type { Place } from '../fixtures/places.ts'
import { HOUR, House, KEYS, MOUNTS, TICKER, TTL, until } from './house.ts'
import { onEachStore } from './on-each-store.ts'

const SLOW = Boolean(process.env['SLOW'])
const PROCESSES = SLOW ? [2, 4, 8] : [2, 4]
const TIME_LIMIT = SLOW ? 3_600_000 : 240_000

beforeAll(() => {
  compiled(TICKER)
}, 120_000)

onEachStore('processes that tick', (open) => {
  const places: Place[] = []
  afterAll(() => Promise.all(places.map((place) => place.remove())))
  const openHouse = async (): Promise<House> => {
    const place = await open()
    places.push(place)
    return House.open(place.where)
  }

  it.each(PROCESSES)('%i of them rotate every key once an hour', { timeout: TIME_LIMIT }, async (processes) => {
    const house = await openHouse()
    await Promise.all(Array.from({ length: processes }, () => house.start(0)))
    const hours = SLOW ? 10 : 3
    for (let hour = 1; hour <= hours; hour++) {
      house.pass(HOUR)
      await house.untilAll(hour + 1)
    }
    await house.end()
    expect(house.tickers.reduce((sum, { items }) => sum + items, 0)).toBe(hours * MOUNTS * KEYS)
  })

  it('one that is killed at its work is replaced when its claims have run out, and not before', {
    timeout: TIME_LIMIT,
  }, async () => {
    const house = await openHouse()
    const victim = await house.start(150)
    house.pass(HOUR)
    await until(() => victim.begun >= 3, 'the first items')
    const { claims } = await house.kernel.status()
    expect(claims.map(({ owner }) => owner)).toEqual(claims.map(() => victim.id))
    expect(claims.length).toBeGreaterThan(0)
    victim.child.kill()
    expect(await victim.child.ended).toBe('killed')
    house.tickers.length = 0
    const heirs = await Promise.all([house.start(0), house.start(0)])
    // They do what nobody has claimed, and have seen what is claimed.
    await until(() => heirs.every(({ ticked }) => ticked === house.now), 'the first ticks')
    await sleep(300)
    const left = await house.versions()
    expect(left).toContain(1)
    house.pass(TTL - 1)
    await until(() => heirs.every(({ ticked }) => ticked === house.now), 'ticks before time')
    expect(await house.versions()).toEqual(left)
    house.pass(1)
    await house.untilAll(2)
    const { claims: inherited } = await house.kernel.status()
    // What it had done whole, nobody takes over.
    const open = new Set(left.flatMap((version, key) => (version === 1 ? [`m${Math.floor(key / KEYS)}/`] : [])))
    for (const { owner, path = '' } of inherited) if (open.has(path)) expect(heirs.map(({ id }) => id)).toContain(owner)
    await house.end()
  })

  it('one that is stopped at its work and taken over commits nothing when it goes on', { timeout: TIME_LIMIT }, async () => {
    const house = await openHouse()
    const sleeper = await house.start(400)
    house.pass(HOUR)
    await until(() => sleeper.begun > 0, 'the first item')
    // Between its claim and its commit.
    sleeper.child.pause()
    const { begun } = sleeper
    const heir = await house.start(0)
    await until(() => heir.ticked === house.now, 'a look at the claims')
    await house.untilAll(2, true)
    expect(heir.items).toBeGreaterThanOrEqual(MOUNTS * KEYS - begun)
    sleeper.child.resume()
    await until(() => sleeper.ticked > 0, 'the end of its tick')
    await sleep(500)
    expect(new Set(await house.versions())).toEqual(new Set([2]))
    expect(sleeper.items + heir.items).toBe(MOUNTS * KEYS)
    // It is of use again.
    house.pass(HOUR)
    await house.untilAll(3, true)
    await house.end()
  })
})
