/**
 * A storage that fails at its n-th call, for every n of a piece of work and in every way the port knows: what was refused is there as a whole
 * or not at all, and with the fault gone the same kernel goes on as if nothing had been.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Storage } from '../../src/index.ts'
import type { FaultPlan } from '../../src/testing/index.ts'
import { AT_CALLS, AT_COMMITS, copyOf, far, near, prepared, WORK, Worker } from './faulty-work.ts'

const SLOW = Boolean(process.env['SLOW'])
const TIMEOUT = SLOW ? 3_600_000 : 300_000

let start: { readonly storage: Storage; readonly known: string }
type Place = typeof near
const PLACES: readonly Place[] = [near, far]
/** How many the work makes where nothing fails. */
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

beforeAll(async () => {
  start = await prepared()
  for (const place of PLACES) {
    const asked = (await workOn(() => undefined, place)).storage.calls
    calls.set(place, asked.length)
    commits.set(place, asked.filter((method) => method === 'commit').length)
  }
})

describe('a storage that fails', () => {
  it('is asked in every way by the work', async () => {
    const asked = ['getMany', 'list', 'scan', 'commit', 'revision']
    for (const place of PLACES) {
      const { storage, failed } = await workOn(() => undefined, place)
      expect(new Set(storage.calls)).toEqual(new Set([...asked, place === near ? 'getSync' : 'watch']))
      expect(storage.calls.length).toBeGreaterThan(200)
      expect(failed).toBe(0)
    }
  })

  const cases = (plans: typeof AT_CALLS) =>
    Object.entries(plans).flatMap(([name, plan]) => PLACES.map((place) => ({ name, plan, place, where: place.name })))

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

  // Without SLOW every fourth call meets one case after the other, so that all of them come by.
  const single = cases(AT_CALLS)
  it.each(single.map((one, index) => ({ ...one, index })))(
    'with $name, at any call of a store that is $where',
    async ({ index, ...one }) => {
      const numbers = upTo(calls.get(one.place)).filter((n) => SLOW || n % (4 * single.length) === 4 * index)
      expect((await workOnEach(one, numbers)) > 0).toBe(one.name !== 'a late answer')
    },
    TIMEOUT,
  )

  it.each(cases(AT_COMMITS))(
    'with $name, at any commit of a store that is $where',
    async (one) => {
      const numbers = upTo(commits.get(one.place)).filter((n) => SLOW || n % (one.place === near ? 4 : 10) === 0)
      expect(await workOnEach(one, numbers)).toBeGreaterThan(numbers.length / 2)
    },
    TIMEOUT,
  )
})

const upTo = (most = 0): readonly number[] => Array.from({ length: most }, (_, index) => index + 1)
