/**
 * The time of the policy parsers grows linearly with the length of a text, even if the text is designed to be slow. Texts above the size
 * limit are refused before they are parsed.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { lowest, referenceMs } from '../fixtures/calibration.ts'
import { BOUND, readersOf, SHAPES } from './policy-shapes.ts'

/** A text 16 times as long may take 44 times as long: linear work takes 16, quadratic work 256. Very short times are noise. */
const MAX_GROWTH = 44
const SHORT_MS = 4
/** A text above the size limit is only measured and refused. */
const REFUSED_MS = 10

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

const processorMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

it.each(Object.entries(SHAPES).map(([name, shape], nth) => [name, shape, nth] as const))(
  'the policy parsers take at most linear time for %s',
  async (_, shape, nth) => {
    const [short, long] = [BOUND / 16, BOUND].map(shape) as [string, string]
    for (const ways of readersOf(kernel)) {
      // All operations of one parser run the same code, so each shape tests only one of them.
      const [way, take] = Object.entries(ways)[nth % Object.keys(ways).length]!
      const growth = async () => {
        const base = Math.max(SHORT_MS, await processorMs(() => take(short)))
        return (await processorMs(() => take(long))) / base
      }
      expect(await lowest(growth, MAX_GROWTH), way).toBeLessThan(MAX_GROWTH)
    }
  },
)

it.each(['comments', 'blanks', 'base64', 'lines', 'JSON, spaces'])(
  `the policy parsers refuse a text of %s above the size limit within ${REFUSED_MS} ms`,
  async (name) => {
    const text = SHAPES[name]!(4 * BOUND)
    for (const ways of readersOf(kernel))
      for (const [way, take] of Object.entries(ways))
        expect(await referenceMs(() => take(text), REFUSED_MS), way).toBeLessThan(REFUSED_MS)
  },
)
