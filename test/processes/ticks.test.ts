/**
 * Several processes that tick on one store: what is due is done once, also when one of them is killed or stopped at its work.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clock, createKernel, type Kernel, systemClock } from '../../src/index.ts'
import { type Child, startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import { etcdMissing } from '../fixtures/etcd/server.ts'
import { freshSchema, postgresqlMissing, postgresqlUrl } from '../fixtures/postgresql/server.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import type { Heard, Told } from './ticker.child.ts'
import { etcdPlace, lmdbPlace, openStorage, type Place, postgresqlPlace, SEAL } from './where.ts'

const SLOW = Boolean(process.env['SLOW'])
const PROCESSES = SLOW ? [2, 4, 8] : [2, 4]
const MOUNTS = 6
const KEYS = SLOW ? 20 : 4
const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const TTL = 30_000
const PROGRAM = 'test/processes/ticker.child.ts'
const TIME_LIMIT = SLOW ? 600_000 : 120_000

beforeAll(() => {
  compiled(PROGRAM)
}, 120_000)

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Ticker {
  readonly child: Child
  readonly done: Promise<void>
  id: string
  /** Items it has done and told of. */
  items: number
  failed: string[]
  /** Commits of items that it has begun. */
  begun: number
  /** The time of its last whole tick. */
  ticked: number
}

class House {
  readonly where: StoreAt
  readonly kernel: Kernel
  readonly #close: () => Promise<void>
  readonly #time: { now: number }
  readonly tickers: Ticker[] = []

  private constructor(where: StoreAt, kernel: Kernel, time: { now: number }, close: () => Promise<void>) {
    this.where = where
    this.kernel = kernel
    this.#time = time
    this.#close = close
  }

  static async open(where: StoreAt): Promise<House> {
    const { storage, close } = openStorage(where)
    const time = { now: START }
    const clock: Clock = { now: () => time.now, sleep: (ms, signal) => systemClock.sleep(ms, signal) }
    const kernel = await createKernel({ storage, clock, seal: SEAL, initialize: true, cache: { staleness_ms: 0 } })
    for (let mount = 0; mount < MOUNTS; mount++) {
      await kernel.mounts.createMount({ path: `m${mount}/`, type: 'transit' })
      const { transit } = kernel
      for (let key = 0; key < KEYS; key++) await transit.at(`m${mount}/`).createKey({ name: `k${key}`, auto_rotate_period: '1h' })
    }
    return new House(where, kernel, time, close)
  }

  async start(itemTakes: number): Promise<Ticker> {
    const child = startChild(PROGRAM, { where: this.where, now: this.#time.now, itemTakes })
    const ticker: Ticker = { child, id: '', items: 0, failed: [], begun: 0, ticked: 0, done: Promise.resolve() }
    const listen = async () => {
      for await (const told of child.told as AsyncIterable<Told>) {
        if (told.tells === 'open') ticker.id = told.id
        else if (told.tells === 'commits') ticker.begun++
        else {
          ticker.items += told.done
          ticker.failed.push(...told.failed)
          ticker.ticked = told.now
        }
      }
    }
    Object.assign(ticker, { done: listen() })
    this.tickers.push(ticker)
    await until(() => ticker.id !== '', 'the start of a process')
    return ticker
  }

  pass(ms: number): void {
    this.#time.now += ms
    for (const { child } of this.tickers) child.tell({ now: this.#time.now } satisfies Heard)
  }

  get now(): number {
    return this.#time.now
  }

  async versions(): Promise<readonly number[]> {
    const all: number[] = []
    for (let mount = 0; mount < MOUNTS; mount++) {
      const transit = this.kernel.transit.at(`m${mount}/`)
      for (let key = 0; key < KEYS; key++) all.push((await transit.readKey({ name: `k${key}` })).latest_version)
    }
    return all
  }

  /** @param takeOver Whether time has to pass for that: claims of one that is gone. */
  async untilAll(version: number, takeOver = false): Promise<void> {
    await until(async () => {
      if (takeOver) {
        this.pass(TTL / 3)
        await sleep(200)
      }
      return (await this.versions()).every((found) => found >= version)
    }, `version ${version} of all keys`)
    // Whoever would do it again has the time to.
    await sleep(200)
    expect(new Set(await this.versions())).toEqual(new Set([version]))
  }

  async end(): Promise<void> {
    for (const { child } of this.tickers) child.tell('end' satisfies Heard)
    for (const { child, failed } of this.tickers) {
      await child.ended
      expect(failed).toEqual([])
    }
    await this.kernel.close()
    await this.#close()
  }
}

async function until(is: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) if (await is()) return
  throw new Error(`waited in vain for ${what}`)
}

const suite = (name: string, open: () => Promise<Place>): void => {
  describe(`processes that tick on one ${name}`, () => {
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
}

suite('lmdb', lmdbPlace)
if (postgresqlMissing === undefined) suite('postgresql', async () => postgresqlPlace(await postgresqlUrl(), freshSchema()))
else it.skip(`processes that tick on one postgresql: ${postgresqlMissing}`)
if (etcdMissing === undefined && SLOW) suite('etcd', etcdPlace)
else it.skip(`processes that tick on one etcd: ${etcdMissing ?? 'with SLOW'}`)
