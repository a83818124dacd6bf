/** A store with keys that are due for rotation once an hour, with a clock that the test sets, and the processes that tick on it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Clock, createKernel, type Kernel, KernelError, systemClock } from '../../src/index.ts'
import { type Child, startChild } from '../fixtures/child.ts'
import { runs } from '../fixtures/runs.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import type { ChildMessage, ParentMessage, TickerArguments } from './ticker.child.ts'
import { openStorage, SEAL } from './where.ts'

export const TICKER = 'test/processes/ticker.child.ts'
export const MOUNTS = 6
export const KEYS = runs({ quick: 4, soak: 20 })
export const HOUR = 3_600_000
/** The TTL of a claim. */
export const TTL = 30_000
const START = Date.UTC(2026, 0, 1)
const PATIENCE_MS = 60_000

export interface Ticker {
  readonly child: Child
  readonly done: Promise<void>
  id: string
  /** The items that it has done and reported. */
  items: number
  failed: string[]
  /** The commits of items that it has begun. */
  begun: number
  /** The time of its last complete tick. */
  ticked: number
  /** The number of complete ticks since the last tick with an item. */
  idleTicks: number
}

export class StoreProcesses {
  readonly where: StoreAt
  readonly kernel: Kernel
  readonly #troubled: boolean
  readonly #close: () => Promise<void>
  readonly #time: { now: number }
  readonly tickers: Ticker[] = []

  private constructor(where: StoreAt, kernel: Kernel, time: { now: number }, troubled: boolean, close: () => Promise<void>) {
    this.where = where
    this.kernel = kernel
    this.#troubled = troubled
    this.#time = time
    this.#close = close
  }

  /** @param troubled Whether the store may be unavailable for a while after the start. */
  static async open(where: StoreAt, troubled = false): Promise<StoreProcesses> {
    const { storage, close } = openStorage(where)
    const time = { now: START }
    const clock: Clock = { now: () => time.now, sleep: (ms, signal) => systemClock.sleep(ms, signal) }
    const kernel = await createKernel({ storage, clock, seal: SEAL, initialize: true, cache: { stalenessMs: 0 } })
    for (let mount = 0; mount < MOUNTS; mount++) {
      await kernel.mounts.createMount({ path: `m${mount}/`, type: 'transit' })
      const { transit } = kernel
      for (let key = 0; key < KEYS; key++) await transit.at(`m${mount}/`).createKey({ name: `k${key}`, auto_rotate_period: '1h' })
    }
    return new StoreProcesses(where, kernel, time, troubled, close)
  }

  async start(options: { readonly freeItems?: number; readonly where?: StoreAt } = {}): Promise<Ticker> {
    const args: TickerArguments = { where: this.where, ...options, now: this.#time.now, troubled: this.#troubled }
    const child = startChild(TICKER, args)
    const ticker: Ticker = { child, id: '', items: 0, failed: [], begun: 0, ticked: 0, idleTicks: 0, done: Promise.resolve() }
    const listen = async () => {
      for await (const message of child.messages as AsyncIterable<ChildMessage>) {
        if (message.type === 'open') ticker.id = message.id
        else if (message.type === 'commits') ticker.begun++
        else {
          ticker.items += message.done
          ticker.failed.push(...message.failed)
          ticker.ticked = message.now
          ticker.idleTicks = message.done > 0 ? 0 : ticker.idleTicks + 1
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
    for (const { child } of this.tickers) child.send({ now: this.#time.now } satisfies ParentMessage)
  }

  get now(): number {
    return this.#time.now
  }

  async versions(): Promise<readonly number[]> {
    for (;;) {
      try {
        return await this.#versions()
      } catch (error) {
        if (!(this.#troubled && error instanceof KernelError && error.status === 503)) throw error
      }
    }
  }

  #versions(): Promise<readonly number[]> {
    const keys = Array.from({ length: MOUNTS * KEYS }, (_, at) => [Math.floor(at / KEYS), at % KEYS] as const)
    return Promise.all(
      keys.map(async ([mount, key]) => (await this.kernel.transit.at(`m${mount}/`).readKey({ name: `k${key}` })).latest_version),
    )
  }

  /** @param takeOver Whether time must pass because claims of a stopped process have to expire. */
  async untilAll(version: number, takeOver = false): Promise<void> {
    let [done, since] = ['', Date.now()]
    for (;;) {
      if (takeOver) {
        this.pass(TTL / 3)
        await sleep(200)
      }
      const versions = await this.versions()
      if (versions.every((found) => found >= version)) break
      // Waits as long as there is progress, however slow the machine is.
      if (String(versions) !== done) [done, since] = [String(versions), Date.now()]
      if (Date.now() - since > PATIENCE_MS) throw new Error(`waited in vain for version ${version} of all keys`)
      await sleep(10)
    }
    // Gives a process that would repeat the work time to do so.
    await sleep(200)
    expect(new Set(await this.versions())).toEqual(new Set([version]))
  }

  async end(): Promise<void> {
    for (const { child } of this.tickers) child.send('end' satisfies ParentMessage)
    for (const { child, failed } of this.tickers) {
      await child.ended
      if (!this.#troubled) expect(failed).toEqual([])
    }
    await this.kernel.close()
    await this.#close()
  }
}

export async function until(is: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(10)) if (await is()) return
  throw new Error(`waited in vain for ${what}`)
}
