/** The suite for a storage that fails at its n-th call. Each tier tries its own number of n. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Storage } from '../../src/index.ts'
import type { FaultPlan } from '../../src/testing/index.ts'
import { AT_CALLS, AT_COMMITS, copyOf, near, PLACES, type Place, prepared, WORK, Worker } from './faulty-work.ts'

/** Each case fails at every `calls`th call, and at every `near`th or `far`th commit of a near or far store. */
export interface Strides {
  readonly calls: number
  readonly near: number
  readonly far: number
}

let start: { readonly storage: Storage; readonly known: string }
/** With at least this many faults, at least one step must be refused. */
const MANY = 5
/** The number of calls and commits if nothing fails. */
const calls = new Map<Place, number>()
const commits = new Map<Place, number>()

async function workOn(plan: FaultPlan, place: Place): Promise<Worker> {
  const copy = await copyOf(start.storage)
  const worker = new Worker(place(copy), start.known, plan)
  await worker.open()
  await worker.work(WORK)
  await worker.finish()
  return worker
}

export function failingStorage(strides: Strides): void {
  beforeAll(async () => {
    start = await prepared()
    for (const { place } of PLACES) {
      const methods = (await workOn(() => undefined, place)).storage.calls
      calls.set(place, methods.length)
      commits.set(place, methods.filter((method) => method === 'commit').length)
    }
  })

  describe('a kernel on a failing storage', () => {
    it('calls every storage method during the workload', async () => {
      const methods = ['getMany', 'list', 'scan', 'commit', 'revision']
      for (const { place } of PLACES) {
        const { storage, failed } = await workOn(() => undefined, place)
        expect(new Set(storage.calls)).toEqual(new Set([...methods, place === near ? 'getSync' : 'watch']))
        expect(storage.calls.length).toBeGreaterThan(200)
        expect(failed).toBe(0)
      }
    })

    const cases = (plans: typeof AT_CALLS) =>
      Object.entries(plans).flatMap(([name, plan]) => PLACES.map((place) => ({ name, plan, ...place })))

    /** Returns how many steps were refused. */
    async function workOnEach(
      { name, plan, place }: ReturnType<typeof cases>[number],
      numbers: readonly number[],
    ): Promise<number> {
      let refused = 0
      for (const n of numbers) {
        const worker = await workOn(plan(n), place).catch((error: unknown) => {
          throw new Error(`${name}, number ${n}`, { cause: error })
        })
        refused += worker.failed
      }
      return refused
    }

    // The chosen calls are distributed over the cases, so that together the cases try all of them.
    const single = cases(AT_CALLS)
    const turns = strides.calls === 1 ? 1 : single.length
    it.each(single.map((failure, index) => ({ ...failure, index })))(
      'loses nothing that was acknowledged with $name at any call (store: $where)',
      async ({ index, ...one }) => {
        const numbers = upTo(calls.get(one.place)).filter((n) => n % (strides.calls * turns) === strides.calls * (index % turns))
        const refused = await workOnEach(one, numbers)
        // A single fault may hit a call whose result is not needed.
        if (one.name === 'a late answer') expect(refused).toBe(0)
        else if (numbers.length >= MANY) expect(refused).toBeGreaterThan(0)
      },
    )

    it.each(cases(AT_COMMITS))(
      'loses nothing that was acknowledged with $name at any commit (store: $where)',
      async (failure) => {
        const numbers = upTo(commits.get(failure.place)).filter(
          (n) => n % (failure.place === near ? strides.near : strides.far) === 0,
        )
        expect(await workOnEach(failure, numbers)).toBeGreaterThan(numbers.length / 2)
      },
    )
  })
}

const upTo = (most = 0): readonly number[] => Array.from({ length: most }, (_, index) => index + 1)
