import { expect, it } from 'vitest'
import { ROUTED_OPERATIONS } from '../../../src/configsvc/operations.ts'
import { stateSteps } from '../../../src/configsvc/view/state-hash.ts'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { nobleHash } from '../../../src/core/crypto/noble/hash.ts'
import { jsonText } from '../../../src/core/json/json-text.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'

const HASH = nobleHash('sha2-256')
const stateOf = (value: unknown, read = 'policies.list'): string => {
  const operation = ROUTED_OPERATIONS[read]
  if (!operation) throw new Error(`there is no ${read}`)
  return runToEnd(stateSteps(operation, value, HASH))
}

it('two results of an operation have equal hashes if and only if the results are equal', () => {
  const value = fc.oneof(fc.constantFrom<unknown>({ a: 1 }, { a: '1' }, [], [[]], {}, { a: {} }, { a: [1n] }), fc.jsonValue())
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [textA, textB] = [jsonText(a as object), jsonText(b as object)]
      expect(stateOf(a) === stateOf(b)).toBe(textA === textB)
    }),
    { numRuns: runs({ quick: 200, soak: 50_000 }) },
  )
})

it('the hash of a long result has less than 50 characters and depends on every element', () => {
  const list = Array.from({ length: 20_000 }, (_, i) => ({ ID: `id-${i}`, Name: `name-${i}` }))
  const states = [0, 1, 9_999, 19_999].map((at) => stateOf(list.with(at, { ID: 'other', Name: 'other' })))
  expect(new Set([...states, stateOf(list), stateOf(list.slice(1))]).size).toBe(6)
  for (const state of states) expect(state.length).toBeLessThan(50)
  expect(stateOf(list)).toBe(stateOf(list.slice()))
})

it('the hash of a list of config entries depends on their names, namespaces and indexes', () => {
  const entry = (Name: string, ModifyIndex: number, Namespace?: string) => ({
    Name,
    ModifyIndex,
    ...(Namespace && { Namespace }),
  })
  const lists = [[], [entry('a', 1)], [entry('a', 2)], [entry('b', 1)], [entry('a', 1, 'x')], [entry('a', 1), entry('b', 1)]]
  expect(new Set(lists.map((list) => stateOf(list, 'entries.list'))).size).toBe(lists.length)
})
