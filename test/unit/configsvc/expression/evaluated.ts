// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
/** Expressions and templates that are evaluated, or refused with status 400. */
import { expect } from 'vitest'
import {
  boolShape,
  checkExpression,
  explainMatch,
  intShape,
  listShape,
  mapShape,
  matches,
  parseExpression,
  recordShape,
  textShape,
} from '../../../../src/configsvc/expression/index.ts'
import { checkNameTemplate, interpolateName } from '../../../../src/configsvc/interpolation/index.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'

export const SHAPE = recordShape({
  value: mapShape(textShape),
  list: mapShape(listShape(textShape)),
  items: listShape(recordShape({ a: textShape, m: mapShape(textShape) })),
  on: boolShape,
  n: intShape(32),
})

/** Rethrows every error except a refusal with status 400. */
function settled<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect(error).toMatchObject({ status: 400 })
    expect((error as Error).message.length).toBeLessThan(20_000)
    return undefined
  }
}

const DATUM = {
  value: { a: 'exported', b: '' },
  list: { a: ['x', 'y'] },
  items: [{ a: 'x', m: { b: 'ab' } }],
  on: true,
  n: 3,
}

/** Whether the expression was evaluated, not refused. */
export const isEvaluated = (expression: string): boolean =>
  settled(() => {
    const parsed = parseExpression(expression)
    const checked = checkExpression(parsed, SHAPE)
    matches(checked, DATUM)
    return explainMatch(checked, DATUM)
  }) !== undefined

/** Whether the template was filled in, not refused. */
export const filled = (template: string): boolean =>
  settled(() => {
    const result = interpolateName(template, { item: 'fake', n: '3', t: 'true', 'value.a': 'x' })
    checkNameTemplate(template, ['item', 'n', 't', 'value.a'])
    return result
  }) !== undefined

type TextOf = (times: number) => string

/** The longest result of `textOf` with at most `length` characters. */
export function longestOf(textOf: TextOf, length: number): { readonly times: number; readonly text: string } {
  const unit = textOf(2).length - textOf(1).length
  const times = Math.floor((length - textOf(0).length) / unit)
  return { times, text: textOf(times) }
}

export const MAX_EXPRESSION_LENGTH = 16_384
export const MAX_TEMPLATE_LENGTH = 4096

/** Expressions that repeat one element many times. */
export const LONG_EXPRESSIONS: readonly (readonly [string, TextOf])[] = [
  ['comparisons', (n) => `n == 1${' or n == 1'.repeat(n)}`],
  ['comparisons that fail at the end', (n) => `n == 1${' or n == 1'.repeat(n)} or`],
  ['negated memberships', (n) => `not in value${' and not in value'.repeat(n)}`],
  ['keywords that could be names', (n) => `not in${' not in'.repeat(n)}`],
  ['negations', (n) => `${'not '.repeat(n)}n == 1`],
  ['parentheses', (n) => '('.repeat(n)],
  ['a long selector', (n) => `value${'.a'.repeat(n)} == 1`],
  ['indexes', (n) => `value${'["a"]'.repeat(n)} == 1`],
  ['space', (n) => `${' '.repeat(n)}n`],
  ['quotes', (n) => '"'.repeat(n)],
  ['escapes', (n) => `value.a == "${'\\xff'.repeat(n)}"`],
  ['a long number', (n) => `n == ${'1'.repeat(n)}`],
  ['lines', (n) => '\n'.repeat(n)],
  ['comparisons with a list', (n) => `x in list.a${' or x in list.a'.repeat(n)}`],
]

/** Templates that repeat one element many times. */
export const LONG_TEMPLATES: readonly (readonly [string, TextOf])[] = [
  ['variables', (n) => '${item}'.repeat(n)],
  ['unknown variables', (n) => `${'${item}'.repeat(n)}\${nope}`],
  ['dollars', (n) => `${'$'.repeat(n)}\${`],
  ['parentheses', (n) => `\${${'('.repeat(n)}`],
  ['quotes in braces', (n) => '${"'.repeat(n)],
  ['a long sum', (n) => `\${1${' + n'.repeat(n)}}`],
  ['products', (n) => `\${9${' * 9'.repeat(n)}}`],
  ['conditions', (n) => `\${${'t ? 1 : '.repeat(n)}1}`],
  ['a long number', (n) => `\${${'1'.repeat(n)}}`],
  ['a long name of a variable', (n) => `\${item${'.*.a'.repeat(n)}}`],
  ['stars', (n) => `\${item${'.*'.repeat(n)}}`],
  ['arguments', (n) => `\${f(1${', 1'.repeat(n)})}`],
  ['text', (n) => `${'x'.repeat(n)}\${item}`],
]
