/** Expressions and data made to do harm: refused, or answered, at once. */
import { describe, expect, it } from 'vitest'
import {
  checkExpression,
  listOf,
  mapOf,
  matches,
  parseExpression,
  record,
  text,
} from '../../../../src/configsvc/expression/index.ts'
import { weigh } from '../../../../src/configsvc/expression/pattern.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { MEASURED } from '../../../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../../../fixtures/slowness.ts'

const SHAPE = record({ value: mapOf(text), list: mapOf(listOf(text)), items: listOf(record({ a: text })) })

/** Milliseconds of the processor: others share the machine. */
const now = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Parsed, checked and asked; the best of three, since the collector may come in between. */
function judged(expression: string, datum: unknown): { readonly outcome: boolean | string; readonly ms: number } {
  let outcome: boolean | string = ''
  let ms = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const began = now()
    try {
      outcome = matches(checkExpression(parseExpression(expression), SHAPE), datum)
    } catch (error) {
      if (!(error instanceof KernelError) || error.status !== 400) throw error
      outcome = error.message
    }
    ms = Math.min(ms, now() - began)
  }
  return { outcome, ms }
}

const TOO_LARGE = 'the regular expressions are too large'
const TOO_LONG = 'the expression takes too long for this value'

/** Letters without an order that would repeat. */
function letters(length: number, of = 'ab'): string {
  let state = 7
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return of[(state >> 16) % of.length]
  }).join('')
}

describe('patterns, within 50 ms', MEASURED, () => {
  it.each<readonly [string, string, string, boolean | string]>([
    ['nested repetitions', '(((a{100}){100}){100})', 'a', TOO_LARGE],
    ['a repetition of a long text', `(${'abc'.repeat(100)}){1000}`, 'a', TOO_LARGE],
    ['a repetition of a class of Unicode', '\\pL{1000}', 'a'.repeat(1000), TOO_LARGE],
    ['an alternation of classes of Unicode', Array.from({ length: 64 }, () => '\\pL').join('|'), 'a', TOO_LARGE],
    ['a class of classes', `[^${'\\pL\\PN'.repeat(40)}]`, 'a', TOO_LARGE],
    ['ranges without case', '(?i)[b-\u{1e000}]'.repeat(50), 'a', TOO_LARGE],
    ['ranges without case by escapes', `(?i)[${'b-\\x{1e000}'.repeat(50)}]`, 'a', TOO_LARGE],
    ['ranges without case further in', `a(?s-m:b(?mi)c)${'[b-\u{1e000}]'.repeat(50)}`, 'a', TOO_LARGE],
    ['a few ranges without case', '(?i)[b-\u{1e000}]'.repeat(3), 'abc', false],
    ['a class of Unicode many times', '^\\pL{90}$', 'a'.repeat(90), true],
    ['a few classes of Unicode', '(?i)[\\pL\\pN]{10}$', letters(300), true],
    ['states without end', '[ab]*a[ab]{200}c', `c${letters(300)}`, false],
    ['states without end of a long text', '[ab]*a[ab]{200}c', `c${letters(3000)}`, TOO_LONG],
    ['classes and states without end', '[\\pL]*a[ab\u00e9]{200}1', `1${letters(300)}`, false],
    ['what may be nothing', `(?:a?){100}${'a'.repeat(100)}b`, `b${'a'.repeat(150)}`, false],
    ['stars in stars', '(?:(?:(?:a*)*)*)*b$', `b${'a'.repeat(3000)}`, false],
    ['groups in groups', `${'('.repeat(150)}a${')*'.repeat(150)}b$`, `b${'a'.repeat(70)}`, false],
    ['an alternation', `^(?:${Array.from({ length: 150 }, (_, i) => `x${i}`).join('|')})$`, 'x149', true],
    ['a text as long as it may be', '^prod', 'x'.repeat(8000), false],
    ['a text that is too long', 'x$', 'x'.repeat(100_000), TOO_LONG],
    ['boundaries', '(?:\\b|\\B|a|b| ){60}1', `1${letters(200, 'ab ')}`, true],
  ])('%s', (_what, pattern, value, expected) => {
    const { outcome, ms } = judged(`value.a matches \`${pattern}\``, { value: { a: value } })
    expect(ms).toBeLessThan(LONGEST_STRETCH_MS)
    if (typeof expected === 'string') expect(outcome).toContain(expected)
    else expect(outcome).toBe(expected)
  })

  it('many patterns', () => {
    const each = (index: number) => `value.a matches \`[ab]*a[ab]${index}\``
    const { outcome, ms } = judged(Array.from({ length: 60 }, (_, index) => each(index)).join(' or '), {
      value: { a: letters(60) },
    })
    expect(ms).toBeLessThan(LONGEST_STRETCH_MS)
    expect(outcome).toBe(false)
  })

  it('a pattern that is kept, and texts that are all others', () => {
    const checked = checkExpression(parseExpression('value.a matches `[ab]*a[ab]{100}c`'), SHAPE)
    const took = Array.from({ length: 200 }, (_, i) => {
      const value = `c${letters(300 + i)}`
      const began = now()
      expect(matches(checked, { value: { a: value } })).toBe(false)
      return now() - began
    })
    // Now and then the collector comes in between.
    const slow = took.slice(20).sort((a, b) => b - a)[5] as number
    expect(slow).toBeLessThan(LONGEST_STRETCH_MS)
  })
})

describe('data, within 50 ms', MEASURED, () => {
  it.each<readonly [string, string, unknown, boolean | string]>([
    ['a long list', 'x in list.a', { list: { a: Array.from({ length: 1_000_000 }, () => 'y') } }, TOO_LONG],
    ['a long list of records', 'items.a == x', { items: Array.from({ length: 1_000_000 }, () => ({ a: 'y' })) }, TOO_LONG],
    ['a list as long as it may be', 'x in list.a', { list: { a: Array.from({ length: 60_000 }, () => 'y') } }, false],
    [
      'many comparisons with a list',
      Array.from({ length: 1000 }, () => 'x in list.a').join(' or '),
      { list: { a: Array.from({ length: 1000 }, () => 'y') } },
      TOO_LONG,
    ],
    ['a long text', `value.a contains "b${'a'.repeat(400)}"`, { value: { a: 'a'.repeat(1_000_000) } }, false],
    ['a longer text', `value.a contains "b${'a'.repeat(16_000)}"`, { value: { a: 'a'.repeat(100_000_000) } }, TOO_LONG],
    [
      'a map of many keys',
      'value is empty',
      { value: Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [i, ''])) },
      false,
    ],
  ])('%s', (_what, expression, datum, expected) => {
    const { outcome, ms } = judged(expression, datum)
    expect(ms).toBeLessThan(LONGEST_STRETCH_MS)
    if (typeof expected === 'string') expect(outcome).toContain(expected)
    else expect(outcome).toBe(expected)
  })
})

describe('the weight of a pattern', () => {
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
  ])('%s repeats nothing', (pattern) => {
    expect(weigh(pattern)).toBeLessThan(30)
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
  ])('%s is that of what it repeats', (pattern) => {
    expect(weigh(pattern)).toBeGreaterThan(900)
  })
})
