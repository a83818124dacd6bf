import { expect, it } from 'vitest'
import { sortSteps } from '../../src/core/base/sort-steps.ts'
import { runToEnd } from '../../src/core/base/steps.ts'
import fc from '../fixtures/fast-check.ts'

it('sortSteps returns the same order as Array.sort, which is stable, for lists of any length', () => {
  const word = fc.string({ maxLength: 3 })
  const list = fc.oneof(fc.array(word, { maxLength: 50 }), fc.array(word, { minLength: 1000, maxLength: 5000, size: 'max' }))
  fc.assert(
    fc.property(list, (words) => {
      const items = words.map((key, at) => ({ key, at }))
      const sorted = [...items].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      expect(runToEnd(sortSteps(items, ({ key }) => key))).toEqual(sorted)
      expect(items.map(({ at }) => at)).toEqual(items.map((_, at) => at))
    }),
    { numRuns: 50 },
  )
})

it('sortSteps yields while it sorts a long list', () => {
  const steps = sortSteps(
    Array.from({ length: 100_000 }, (_, i) => `${(i * 7919) % 100_000}`),
    (text) => text,
  )
  let pauses = 0
  while (!steps.next().done) pauses++
  expect(pauses).toBeGreaterThan(20)
})
