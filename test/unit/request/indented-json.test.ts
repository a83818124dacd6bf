import { expect, it } from 'vitest'
import { runToEnd, type Steps } from '../../../src/core/base/steps.ts'
import { indentedJsonSteps, jsonTextSteps } from '../../../src/core/json/json-text.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'

const INDENT = 4
const indented = (value: unknown, most = Number.POSITIVE_INFINITY) => runToEnd(indentedJsonSteps(value as object, INDENT, most))

it('indentedJsonSteps returns the same text as JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indented(value)).toBe(JSON.stringify(value, null, INDENT))
    }),
    { numRuns: runs({ quick: 300, soak: 100_000 }) },
  )
})

it('indentedJsonSteps writes every digit of a bigint', () => {
  const value = { n: 12345678901234567890n, list: [-98765432109876543210n, { deep: 2n ** 200n }] }
  const text = indented(value) as string
  for (const digits of ['12345678901234567890', '-98765432109876543210', String(2n ** 200n)]) expect(text).toContain(digits)
  expect(text.replaceAll(/\s/g, '')).toBe(runToEnd(jsonTextSteps(value)))
})

it('indentedJsonSteps returns undefined if the text would be longer than the limit', () => {
  const value = { a: [1, 2, { b: 'c' }], d: 'x'.repeat(100_000) }
  const whole = JSON.stringify(value, null, INDENT)
  expect(indented(value, whole.length)).toBe(whole)
  expect(indented(value, whole.length - 1)).toBeUndefined()
  expect(indented(value, 10)).toBeUndefined()
})

it.each<[string, object]>([
  ['many numbers', Array.from({ length: 50_000 }, (_, i) => i)],
  ['many members', Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]))],
  ['long texts', { a: 'x'.repeat(2_000_000) }],
  ['deep lists', Array.from({ length: 200 }, () => JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`))],
])('indentedJsonSteps yields while it writes %s, at least as often as without indentation', (_, value) => {
  const yieldsOf = (steps: Steps<unknown>): number => {
    let yields = 0
    while (!steps.next().done) yields++
    return yields
  }
  const plain = yieldsOf(jsonTextSteps(value))
  expect(plain).toBeGreaterThan(2)
  expect(yieldsOf(indentedJsonSteps(value, INDENT, Number.POSITIVE_INFINITY))).toBeGreaterThanOrEqual(plain)
})
