/**
 * A workload that uses the whole kernel, on a storage that fails at one of its calls. Checks the result of each step and the state of the
 * kernel afterwards.
 */
import { expect } from 'vitest'
import { type Clock, memoryStorage, type Storage } from '../../src/index.ts'
import { type Fault, type FaultPlan, type FaultyStorage, faultyStorage } from '../../src/testing/index.ts'
import { type Act, after, isNameless, type LaneState, NOTHING, nextAct, randomOf } from '../crash/lane.ts'
import { checkLogins, letIn, ORCHESTRATED } from '../crash/logins.ts'
import { type Candidates, look, perform, plaintextOf, VERSIONED, visible } from '../crash/perform.ts'
import { type LendingWorld, openLendingWorld } from '../fixtures/lending.ts'

/** An act of the crash test's model, or a step without an effect that users can see. */
export type Step = Act | 'tick' | 'seal and unseal' | 'ask by path'

const LANE = 'a'
export const START = Date.UTC(2026, 0, 1)

/** Enough acts for two of every kind, with the other steps between them. */
export const WORK: readonly Step[] = (() => {
  const random = randomOf(7)
  const steps: Step[] = []
  const met = new Map<string, number>()
  const between: readonly Step[] = ['tick', 'ask by path', 'seal and unseal']
  let state = NOTHING
  for (let n = 0; n < 400; n++) {
    const act = nextAct(state, n, random)
    const times = (met.get(act.do) ?? 0) + 1
    met.set(act.do, times)
    // Skip acts that were used twice, unless other acts need what they create.
    if (times > 1 && !/^(create|write|mount|wrap|lease|log in|rotate|raise)/.test(act.do)) continue
    if (times > 3) continue
    state = after(state, act)
    steps.push(act)
    if (steps.length % 6 === 0) steps.push(between[(steps.length / 6) % between.length] as Step)
  }
  return [...steps, 'tick']
})()

/** A clock whose sleeps are turns of the event loop. */
export function hastyClock(): Clock & { time: number } {
  return {
    time: START,
    now() {
      return this.time
    },
    sleep: (_, signal) => (signal?.aborted ? Promise.reject(signal.reason) : new Promise((resolve) => setImmediate(resolve))),
  }
}

/** A new store with the same entries. */
export async function copyOf(storage: Storage): Promise<Storage> {
  const copy = memoryStorage({ maxOps: 1000 })
  const ops = (await storage.scan('')).map(({ key, value }) => ({ op: 'put', key, value }) as const)
  for (let at = 0; at < ops.length; at += 500) await copy.commit(ops.slice(at, at + 500), `copy ${at}`)
  return copy
}

/** A store of this process alone: it reads synchronously and sends no notifications. */
export const near = (storage: Storage): Storage => ({ ...storage, caps: { ...storage.caps, shared: false } })

/** A store that other processes write to: it reads asynchronously. */
export function far(storage: Storage): Storage {
  const { getSync: _, ...rest } = storage
  return rest
}

export type Place = typeof near

/** Both kinds of stores, with their names in titles. */
export const PLACES: readonly { readonly place: Place; readonly where: string }[] = [
  { place: near, where: 'single-process' },
  { place: far, where: 'shared' },
]

/** A store with the objects that the work needs, and its root token. */
export async function prepared(): Promise<{ readonly storage: Storage; readonly known: string }> {
  const storage = memoryStorage({ maxOps: 128 })
  const lending = await openLendingWorld({ ...ORCHESTRATED, storage, clock: hastyClock() })
  await lending.kernel.mounts.createMount({ path: VERSIONED, type: 'kv', options: { version: '2' } })
  await lending.kernel.transit.createKey({ name: 'k' })
  await letIn(lending.kernel)
  await lending.kernel.close()
  return { storage, known: lending.rootToken }
}

interface Failing {
  /** Calls can fail only while this is true. */
  failing: boolean
}

export class Worker {
  readonly #known: string
  readonly #inner: Storage
  readonly #clock = hastyClock()
  readonly #line: Failing
  readonly storage: FaultyStorage
  readonly #memory: Record<number, string> = {}
  readonly #tokens = new Set<string>()
  readonly #sealed: { readonly act: Act & { readonly do: 'encrypt' }; readonly born: number; readonly ciphertext: string }[] = []
  #state: LaneState = NOTHING
  #lending: LendingWorld | undefined
  /** The number of refused steps. */
  failed = 0

  constructor(inner: Storage, known: string, plan: FaultPlan) {
    this.#inner = inner
    this.#known = known
    const line: Failing = { failing: true }
    this.#line = line
    this.storage = faultyStorage(inner, (call) => (line.failing ? plan(call) : undefined))
  }

  get #open(): LendingWorld {
    return this.#lending as LendingWorld
  }

  async open(): Promise<void> {
    await this.#orAgain(async () => {
      this.#lending = await openLendingWorld({ ...ORCHESTRATED, storage: this.storage, clock: this.#clock, known: this.#known })
    })
  }

  async work(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#step(step)
  }

  /** Checks after the fault that the kernel and the store are in the expected state. */
  async finish(): Promise<void> {
    this.#line.failing = false
    await this.#agree([this.#state])
    for (let round = 0; ; round++) {
      const { done, failed, more } = await this.#open.kernel.tick()
      expect(failed).toEqual([])
      if (done === 0 && !more) break
      expect(round, 'rounds of tick').toBeLessThan(10)
    }
    await this.#agree([this.#state])
    for (const { act, born, ciphertext } of this.#sealed) {
      const key = this.#state.keys[act.name]
      if (key?.born !== born || Number(/:v(\d+):/.exec(ciphertext)?.[1]) < key.minDecryption) continue
      const { plaintext } = await this.#open.kernel.transit.decrypt({ name: `${LANE}-${act.name}`, ciphertext })
      expect(plaintext).toEqual(new Uint8Array(plaintextOf(LANE, act.n)))
    }
    await checkLogins(this.#open.kernel)
    await this.#open.kernel.close()
    const keys = (await this.#inner.scan('')).map(({ key }) => key.split('/'))
    const inFolder = (folder: string) => keys.filter((parts) => parts[2] === folder).length
    expect(inFolder('accessor')).toBe(inFolder('token'))
    expect(inFolder('entity')).toBe(inFolder('alias'))
    expect(keys.filter((parts) => parts[1] === 'due' && Number(parts[3]) <= START)).toEqual([])
  }

  async #step(step: Step): Promise<void> {
    if (step === 'tick') await this.#tick()
    else if (step === 'seal and unseal') {
      const { seal } = this.#open.kernel
      await seal.seal().catch((error: unknown) => this.#refused(error))
      // Sealing succeeds even if nothing could be stored.
      expect(seal.state).toBe('sealed')
      await this.#orAgain(() => seal.unseal())
    } else if (step === 'ask by path') await this.#ask()
    else await this.#act(step)
  }

  /** Repeats work that failed. A failure must have status 503, and the second attempt must succeed. */
  async #orAgain(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#refused(error)
      await work()
    }
  }

  #refused(error: unknown): void {
    expect(error).toMatchObject({ status: 503 })
    this.failed++
    this.#line.failing = false
  }

  async #tick(): Promise<void> {
    try {
      const { failed } = await this.#open.kernel.tick()
      for (const { error } of failed) this.#refused(error)
    } catch (error) {
      this.#refused(error)
    }
  }

  async #ask(): Promise<void> {
    const { status } = await this.#open.ask('GET', 'transit/keys/k')
    expect([200, 503]).toContain(status)
    if (status === 200) return
    this.failed++
    this.#line.failing = false
    expect((await this.#open.ask('GET', 'transit/keys/k')).status).toBe(200)
  }

  async #act(act: Act): Promise<void> {
    if (act.do === 'create token') this.#tokens.add(act.name)
    try {
      await this.#perform(act)
      return
    } catch (error) {
      this.#refused(error)
    }
    const next = after(this.#state, act)
    const found = await this.#agree(isNameless(act) ? [this.#state] : [this.#state, next])
    if (found === 1) this.#state = next
    else await this.#perform(act)
  }

  async #perform(act: Act): Promise<void> {
    const brought = await perform(this.#open, LANE, act, this.#memory)
    if (act.do === 'encrypt')
      this.#sealed.push({
        act: act as Act & { do: 'encrypt' },
        born: this.#state.keys[act.name]?.born ?? 0,
        ciphertext: brought as string,
      })
    else if (brought !== undefined) this.#memory[act.n] = brought
    this.#state = after(this.#state, act)
  }

  /**
   * Checks that the kernel and a fresh kernel, which has seen no fault, agree about the store, and that its state is one of these. Returns
   * the index of the last matching state.
   */
  async #agree(states: readonly LaneState[]): Promise<number> {
    const candidates: Candidates = { tokens: [...this.#tokens], numbers: Object.keys(this.#memory).map(Number) }
    const found = await look(this.#open, LANE, this.#memory, candidates)
    const otherWorld = await openLendingWorld({
      ...ORCHESTRATED,
      storage: await copyOf(this.#inner),
      clock: this.#clock,
      known: this.#known,
    })
    expect(found).toEqual(await look(otherWorld, LANE, this.#memory, candidates))
    await otherWorld.kernel.close()
    const shown = states.map(visible)
    expect(shown).toContainEqual(found)
    return shown.findLastIndex((state) => {
      try {
        expect(state).toEqual(found)
        return true
      } catch {
        return false
      }
    })
  }
}

/** Faults at the n-th call, or at all calls from there until the storage is repaired. */
export const AT_CALLS: Readonly<Record<string, (n: number) => FaultPlan>> = {
  'an error':
    (at) =>
    ({ n }) =>
      n === at ? 'error' : undefined,
  'errors until the storage is repaired':
    (from) =>
    ({ n }) =>
      n >= from ? 'error' : undefined,
  'a connection that is lost once, after the call took effect,':
    (at) =>
    ({ n }) =>
      n === at ? 'lost after' : undefined,
  'a late answer':
    (at) =>
    ({ n }) =>
      n === at ? 'late' : undefined,
  'a late error':
    (at) =>
    ({ n }) =>
      n === at ? 'late error' : undefined,
}

/** The connection is lost at the n-th commit, until the storage is repaired. */
export const AT_COMMITS: Readonly<Record<string, (n: number) => FaultPlan>> = {
  'a connection that is lost before the commit takes effect': (from) => fromCommit(from, 'lost before'),
  'a connection that is lost after the commit took effect': (from) => fromCommit(from, 'lost after'),
}

function fromCommit(from: number, fault: Fault): FaultPlan {
  let commits = 0
  return ({ method }) => {
    if (method === 'commit') commits++
    return commits >= from ? fault : undefined
  }
}
