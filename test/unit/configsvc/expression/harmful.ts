/** Expressions, patterns and data that are made to be slow. */
import {
  checkExpression,
  listShape,
  mapShape,
  matches,
  parseExpression,
  recordShape,
  textShape,
} from '../../../../src/configsvc/expression/index.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'

export const SHAPE = recordShape({
  value: mapShape(textShape),
  list: mapShape(listShape(textShape)),
  items: listShape(recordShape({ a: textShape })),
})

/** The result of the expression for the datum, or the message of the refusal. */
export function outcomeOf(expression: string, datum: unknown): boolean | string {
  try {
    return matches(checkExpression(parseExpression(expression), SHAPE), datum)
  } catch (error) {
    if (!(error instanceof KernelError) || error.status !== 400) throw error
    return error.message
  }
}

const TOO_LARGE = 'the regular expressions are too large'
const TOO_LONG = 'the expression takes too long for this value'

/** Letters without a repeating order. */
export function letters(length: number, of = 'ab'): string {
  let state = 7
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return of[(state >> 16) % of.length]
  }).join('')
}

/** A pattern, the string with which it is matched, and the outcome or a part of the refusal. */
export const HARMFUL_PATTERNS: readonly (readonly [string, string, string, boolean | string])[] = [
  ['nested repetitions', '(((a{100}){100}){100})', 'a', TOO_LARGE],
  ['a repetition of a long string', `(${'abc'.repeat(100)}){1000}`, 'a', TOO_LARGE],
  ['a repetition of a Unicode class', '\\pL{1000}', 'a'.repeat(1000), TOO_LARGE],
  ['an alternation of Unicode classes', Array.from({ length: 64 }, () => '\\pL').join('|'), 'a', TOO_LARGE],
  ['a class that contains many classes', `[^${'\\pL\\PN'.repeat(40)}]`, 'a', TOO_LARGE],
  ['case-insensitive ranges', '(?i)[b-\u{1e000}]'.repeat(50), 'a', TOO_LARGE],
  ['case-insensitive ranges of escapes', `(?i)[${'b-\\x{1e000}'.repeat(50)}]`, 'a', TOO_LARGE],
  ['case-insensitive ranges after nested flags', `a(?s-m:b(?mi)c)${'[b-\u{1e000}]'.repeat(50)}`, 'a', TOO_LARGE],
  ['a few case-insensitive ranges', '(?i)[b-\u{1e000}]'.repeat(3), 'abc', false],
  ['a Unicode class repeated many times', '^\\pL{90}$', 'a'.repeat(90), true],
  ['a few Unicode classes', '(?i)[\\pL\\pN]{10}$', letters(300), true],
  ['very many states', '[ab]*a[ab]{200}c', `c${letters(300)}`, false],
  ['very many states and a long string', '[ab]*a[ab]{200}c', `c${letters(3000)}`, TOO_LONG],
  ['Unicode classes and very many states', '[\\pL]*a[ab\u00e9]{200}1', `1${letters(300)}`, false],
  ['optional elements', `(?:a?){100}${'a'.repeat(100)}b`, `b${'a'.repeat(150)}`, false],
  ['nested stars', '(?:(?:(?:a*)*)*)*b$', `b${'a'.repeat(3000)}`, false],
  ['nested groups', `${'('.repeat(150)}a${')*'.repeat(150)}b$`, `b${'a'.repeat(70)}`, false],
  ['an alternation', `^(?:${Array.from({ length: 150 }, (_, i) => `x${i}`).join('|')})$`, 'x149', true],
  ['a string of the maximum length', '^prod', 'x'.repeat(8000), false],
  ['a string that is too long', 'x$', 'x'.repeat(100_000), TOO_LONG],
  ['boundaries', '(?:\\b|\\B|a|b| ){60}1', `1${letters(200, 'ab ')}`, true],
]

export const asExpression = (pattern: string): string => `value.a matches \`${pattern}\``

/** Many patterns in one expression. */
export const MANY_PATTERNS = Array.from({ length: 60 }, (_, index) => asExpression(`[ab]*a[ab]${index}`)).join(' or ')

/** An expression, a datum, and the outcome or a part of the refusal. */
export const HARMFUL_DATA: readonly (readonly [string, string, () => unknown, boolean | string])[] = [
  ['a long list', 'x in list.a', () => ({ list: { a: Array.from({ length: 1_000_000 }, () => 'y') } }), TOO_LONG],
  ['a long list of records', 'items.a == x', () => ({ items: Array.from({ length: 1_000_000 }, () => ({ a: 'y' })) }), TOO_LONG],
  ['a list of the maximum length', 'x in list.a', () => ({ list: { a: Array.from({ length: 60_000 }, () => 'y') } }), false],
  [
    'many comparisons with a list',
    Array.from({ length: 1000 }, () => 'x in list.a').join(' or '),
    () => ({ list: { a: Array.from({ length: 1000 }, () => 'y') } }),
    TOO_LONG,
  ],
  ['a long string', `value.a contains "b${'a'.repeat(400)}"`, () => ({ value: { a: 'a'.repeat(1_000_000) } }), false],
  [
    'a string that is too long to search',
    `value.a contains "b${'a'.repeat(16_000)}"`,
    () => ({ value: { a: 'a'.repeat(100_000_000) } }),
    TOO_LONG,
  ],
  [
    'a map with many keys',
    'value is empty',
    () => ({ value: Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [i, ''])) }),
    false,
  ],
]
