/** Many concurrent requests on a storage that fails from some call on. Each tier tries its own number of calls. */
import { expect } from 'vitest'
import { createKernel, type Kernel, KernelError, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { type FaultPlan, faultyStorage } from '../../src/testing/index.ts'
import { AT_CALLS, AT_COMMITS, hastyClock, PLACES, type Place } from './faulty-work.ts'

export const PLANS = { ...AT_CALLS, ...AT_COMMITS }
export const WRITERS = 8
export const WRITES = 4
/** More calls than the concurrent requests make in any order. */
export const MAX_CALLS = 420
/** Only work that hangs takes longer. */
const PATIENCE_MS = 60_000
const seal = keySeal(new Uint8Array(32).fill(4))

/** Rejects if `work` hangs. */
async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} does not end`)), PATIENCE_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

interface Outcomes {
  /** The written values: acknowledged ones and refused ones. */
  readonly acknowledged: Set<number>
  readonly refused: Set<number>
  readonly ciphertexts: string[]
}

const isRefusal = (error: unknown): boolean => error instanceof KernelError && error.status === 503

/** Concurrent writers write to the same secret and the same keys, while other callers change mounts and tick. */
async function crowd(kernel: Kernel): Promise<Outcomes> {
  const outcomes: Outcomes = { acknowledged: new Set(), refused: new Set(), ciphertexts: [] }
  const attempt = async (value: number): Promise<void> => {
    try {
      await kernel.kv2.at('v2/').writeSecret({ path: 'shared', data: { value } })
      outcomes.acknowledged.add(value)
    } catch (error) {
      if (!isRefusal(error)) throw error
      outcomes.refused.add(value)
    }
  }
  const writer = async (index: number): Promise<void> => {
    for (let turn = 0; turn < WRITES; turn++) {
      await attempt(index * WRITES + turn)
      try {
        // The first writer creates the key.
        const { ciphertext } = await kernel.transit.encrypt({ name: `k${turn}`, plaintext: new Uint8Array([index]) })
        outcomes.ciphertexts.push(ciphertext)
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
  }
  const mounter = async (): Promise<void> => {
    for (const path of ['m0', 'm1', 'm0']) {
      for (const change of [() => kernel.mounts.createMount({ path, type: 'kv' }), () => kernel.mounts.deleteMount({ path })])
        await change().catch((error: unknown) => {
          // An earlier change may have been refused and still have taken effect, so this one can fail.
          if (!(error instanceof KernelError)) throw error
        })
    }
  }
  const ticker = async (): Promise<void> => {
    for (let turn = 0; turn < WRITES; turn++)
      await kernel.tick().catch((error: unknown) => {
        if (!isRefusal(error)) throw error
      })
  }
  await Promise.all([...Array.from({ length: WRITERS }, (_, index) => writer(index)), mounter(), ticker()])
  return outcomes
}

async function check(kernel: Kernel, { acknowledged, refused, ciphertexts }: Outcomes): Promise<void> {
  const kv = kernel.kv2.at('v2/')
  const { data, metadata } = await kv
    .writeSecret({ path: 'shared', data: { value: -1 } })
    .then(() => kv.readSecret({ path: 'shared' }))
  expect(data).toEqual({ value: -1 })
  const found: number[] = []
  for (let version = 1; version < metadata.version; version++) {
    const read = await kv.readSecret({ path: 'shared', version })
    found.push(Number(read.data['value']))
  }
  expect(new Set(found).size).toBe(found.length)
  for (const value of acknowledged) expect(found).toContain(value)
  for (const value of found) expect(acknowledged.has(value) || refused.has(value)).toBe(true)

  for (const name of (await kernel.transit.listKeys()).keys) {
    const own = []
    for (const ciphertext of ciphertexts) {
      const opened = await kernel.transit.decrypt({ name, ciphertext }).catch(() => undefined)
      if (opened) own.push(ciphertext)
    }
    const { encryptions } = await kernel.transit.readKey({ name })
    expect(encryptions?.['1'] ?? 0).toBeGreaterThanOrEqual(own.length)
    for (const ciphertext of own) ciphertexts.splice(ciphertexts.indexOf(ciphertext), 1)
  }
  expect(ciphertexts).toEqual([])
  await kernel.mounts.createMount({ path: 'afterwards', type: 'kv' })
  await kernel.kv.at('afterwards/').writeSecret({ path: 'p', data: { a: 1 } })
}

export async function crowdOn(inner: Storage, plan: FaultPlan): Promise<{ readonly refused: number; readonly calls: number }> {
  let failing = false
  let first = 0
  const storage = faultyStorage(inner, ({ n, method }) => (failing ? plan({ n: n - first, method }) : undefined))
  const clock = hastyClock()
  const kernel = await createKernel({ storage, clock, seal, initialize: true })
  await kernel.mounts.createMount({ path: 'v2', type: 'kv', options: { version: '2' } })
  await kernel.kv2.at('v2/').writeMetadata({ path: 'shared', max_versions: 1000 })
  await kernel.tick()
  first = storage.calls.length
  failing = true
  const outcomes = await inTime('the crowd', crowd(kernel))
  const calls = storage.calls.length - first
  failing = false
  await inTime('what comes after', check(kernel, outcomes))
  for (let round = 0; round < 10; round++) {
    const { done, failed, more } = await inTime('tick', kernel.tick())
    expect(failed).toEqual([])
    if (done === 0 && !more) break
    expect(round, 'rounds of tick').toBeLessThan(9)
  }
  await inTime('close', kernel.close())
  return { refused: outcomes.refused.size, calls }
}

/** Runs the requests once for every `step`th call number: the fault begins at that call. */
export async function crowdAtEach(name: string, place: Place, first: number, step: number): Promise<void> {
  for (let n = first; n <= MAX_CALLS; n += step) {
    const inner = memoryStorage({ maxOps: 128 })
    await crowdOn(place(inner), (PLANS[name] as (n: number) => FaultPlan)(n)).catch((error: unknown) => {
      throw new Error(`${name} from call ${n} on`, { cause: error })
    })
  }
}

/** Every fault with a near store (single process, synchronous reads) and a far store (shared, asynchronous reads). */
export const CASES = Object.keys(PLANS).flatMap((name, index) => PLACES.map((place) => ({ name, index, ...place })))
