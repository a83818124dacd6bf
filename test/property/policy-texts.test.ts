/** Times are bounded in policy-texts.measured.slow.test.ts. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { BOUND, readersOf, SHAPES } from './policy-shapes.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

it.each(Object.entries(SHAPES))('all operations that take a policy agree whether a text of %s is valid', async (_, shape) => {
  for (const ways of readersOf(kernel)) {
    const statuses = new Set<unknown>()
    for (const take of Object.values(ways)) {
      const status = await take(shape(1024))
      statuses.add(status === 400)
    }
    expect(statuses.size).toBe(1)
  }
})

it('every operation that takes a policy refuses a text above the size limit', async () => {
  for (const name of ['comments', 'blanks', 'base64', 'lines', 'JSON, spaces'])
    for (const ways of readersOf(kernel))
      for (const take of Object.values(ways))
        expect([name, await take((SHAPES[name] as (size: number) => string)(4 * BOUND))]).toEqual([name, 400])
})
