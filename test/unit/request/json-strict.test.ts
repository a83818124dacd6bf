/** Signed JSON is parsed like request bodies, except that anything two parsers could read differently is refused. */

import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { BODY_LIMITS } from '../../../src/core/json/json-cursor.ts'
import { readJson } from '../../../src/core/json/json-reader.ts'
import { parseJsonStrictly } from '../../../src/core/json/json-strict.ts'
import { memberOf } from '../../../src/core/json/wide-object.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'

const RUNS = runs({ quick: 1000, soak: 20_000 })
const LEVELS = 8

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const strictly = (text: string): unknown => parseJsonStrictly(bytes(text), LEVELS)

/** Returns the value or the error message. */
function outcome(run: () => unknown): unknown {
  try {
    return { value: run() }
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    return (error as Error).message
  }
}

/** The plain reader without the fast path of parseJsonStrictly. */
function read(text: string): unknown {
  const steps = readJson(bytes(text), { ...BODY_LIMITS, levels: LEVELS, repeatedNames: false })
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

describe('parseJsonStrictly on valid input', () => {
  it.each([
    ['null', null],
    [' null\n', null],
    ['[null]', [null]],
    ['7', 7],
    ['9007199254740993', 9007199254740993n],
    ['{"a":"b\\":c","\\"":{"a":":"},"":[{"a":1},{"a":2}]}', { a: 'b":c', '"': { a: ':' }, '': [{ a: 1 }, { a: 2 }] }],
    ['{"a":"\\\\","b":1}', { a: '\\', b: 1 }],
  ])('reads %s', (text, value) => {
    expect(strictly(text)).toEqual(value)
  })

  it('returns a member called __proto__ as an ordinary member', () => {
    const value = strictly('{"__proto__":{"alg":"none"},"a":{"toString":1}}') as object
    expect(memberOf(value, '__proto__')).toEqual({ alg: 'none' })
    expect(memberOf(value, 'alg')).toBeUndefined()
  })
})

describe('parseJsonStrictly on invalid input', () => {
  it.each([
    ['', 0],
    ['  ', 2],
    ['{"a":1,"a":1}', 7],
    ['{"a":{"b":1,"b":2}}', 12],
    ['[{"a":[{"b":1,"c":{},"b":null}]}]', 21],
    ['{"a":1,"\\u0061":2}', 7],
    ['{"a":":","a":1}', 9],
    ['{"__proto__":1,"__proto__":2}', 15],
    ['{"a":9007199254740993,"a":1}', 22],
    ['{"a":1}{', 7],
  ])('refuses %s at byte %i', (text, at) => {
    expect(() => strictly(text)).toThrow(new RegExp(`^error parsing JSON: [a-z ,]+ at byte ${at}$`))
  })

  it('refuses nesting deeper than the limit', () => {
    const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels)
    expect(strictly(nested(LEVELS, '1,""'))).toBeDefined()
    expect(strictly(nested(LEVELS - 1, '{}'))).toBeDefined()
    for (const text of [nested(LEVELS + 1), nested(LEVELS, '{}'), nested(50_000)])
      expect(() => strictly(text)).toThrow(`more than ${LEVELS} levels of nesting at byte ${LEVELS}`)
  })
})

describe('parseJsonStrictly compared with readJson', () => {
  const names = fc.constantFrom('a', 'b', '', '":', '\\u0061', '\\ud800', '__proto__', '7', 'é')
  const { value: anything } = fc.letrec<{ value: string; object: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('0', 'null', 'true', '""', '":"', '"\\\\"', '"\\":"', '1.5', '9007199254740993', '[]'),
      tie('object'),
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    ),
    object: fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((members) => {
      const texts = members.map(([name, value]) => `"${name.replace('"', '\\"')}" : ${value}`)
      return `{${texts.join()}}`
    }),
  }))

  it('returns the same value, or throws the same message, for generated JSON', () => {
    let refused = 0
    const property = fc.property(anything, (text) => {
      const expected = outcome(() => read(text))
      if (typeof expected === 'string') refused++
      expect(outcome(() => strictly(text))).toEqual(expected)
    })
    fc.assert(property, { numRuns: RUNS })
    // There are few names, so many objects contain one twice.
    expect(refused).toBeGreaterThan(RUNS / 20)
    expect(refused).toBeLessThan(RUNS - RUNS / 20)
  })

  it('returns the same value, or throws the same message, for JSON with one changed character', () => {
    const property = fc.property(anything, fc.nat(), fc.constantFrom('"', ':', '\\', '{', '}', ',', ' ', '1'), (text, at, by) => {
      const place = at % (text.length + 1)
      const changed = text.slice(0, place) + by + text.slice(place + 1)
      // The reader accepts an empty text as undefined.
      fc.pre(changed.trim() !== '')
      const expected = outcome(() => read(changed))
      expect(outcome(() => strictly(changed))).toEqual(expected)
    })
    fc.assert(property, { numRuns: RUNS })
  })
})
