/** Expressions and data made to do harm are refused or evaluated. `time.measured.slow.test.ts` measures that neither takes long. */
import { describe, expect, it } from 'vitest'
import { checkExpression, matches, parseExpression } from '../../../../src/configsvc/expression/index.ts'
import { patternWeight } from '../../../../src/configsvc/expression/pattern.ts'
import { asExpression, HARMFUL_DATA, HARMFUL_PATTERNS, letters, MANY_PATTERNS, outcomeOf, SHAPE } from './harmful.ts'

describe('an expression with hostile patterns', () => {
  it.each(HARMFUL_PATTERNS)('is refused or evaluates to the expected result: %s', (_what, pattern, value, expected) => {
    const outcome = outcomeOf(asExpression(pattern), { value: { a: value } })
    expect(outcome).toEqual(typeof expected === 'string' ? expect.stringContaining(expected) : expected)
  })

  it('is evaluated to false if it contains many patterns of which none matches', () => {
    expect(outcomeOf(MANY_PATTERNS, { value: { a: letters(60) } })).toBe(false)
  })

  it('is compiled once and then evaluated to false for each of many different strings', () => {
    const checked = checkExpression(parseExpression(asExpression('[ab]*a[ab]{100}c')), SHAPE)
    for (let i = 0; i < 10; i++) expect(matches(checked, { value: { a: `c${letters(300 + i)}` } })).toBe(false)
  })
})

describe('an expression on hostile data', () => {
  it.each(HARMFUL_DATA)('is refused or evaluates to the expected result: %s', (_what, expression, datum, expected) => {
    const outcome = outcomeOf(expression, datum())
    expect(outcome).toEqual(typeof expected === 'string' ? expect.stringContaining(expected) : expected)
  })
})

describe('the estimated size of a pattern', () => {
  it.each([
    '[a{900}]',
    '[]a{900}]',
    '[^]{900}]',
    '[[:alpha:]{900}]',
    '[\\]{900}]',
    '\\Qa{900}\\E',
    '\\{900}',
    'a{',
    'a{,900}',
    '\\x{900}',
  ])('is small for %s, because its braces are not a repetition', (pattern) => {
    expect(patternWeight(pattern)).toBeLessThan(30)
  })

  it.each([
    'a{900}',
    '(?:a{30}b){30}',
    '[a]{900}',
    '\\Q[\\Ea{900}',
    '\\[a{900}]',
    '[[:x:]a{900}]a{900}',
    '\\x{61}{900}',
    '(a){1,900}',
    'a{900,}',
  ])('counts every repetition of %s', (pattern) => {
    expect(patternWeight(pattern)).toBeGreaterThan(900)
  })
})
