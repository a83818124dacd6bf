/** The functions that Go's text/template defines. */
import type { ByteText } from './byte-text.ts'
import { fixed, isTrue, type NameTemplateValue, printed, type TemplateFunction, type TemplateRun } from './function.ts'
import { printf } from './printf.ts'

const MANY = Number.POSITIVE_INFINITY

/**
 * Returns a negative number, 0 or a positive number if `a` is less than, equal to or greater than `b`. @throws KernelError 400 if the
 * values have different kinds, or a kind that has no order.
 */
function compare(run: TemplateRun, a: NameTemplateValue, b: NameTemplateValue): number {
  if (typeof a !== typeof b || typeof a === 'object') throw run.refuse('values of different kinds cannot be compared')
  if (typeof a === 'boolean' && a !== b) return Number.NaN
  return a === b ? 0 : (a as ByteText | number) < (b as ByteText | number) ? -1 : 1
}

function ordered(test: (order: number) => boolean): TemplateFunction {
  return fixed(['any', 'any'], (run, a: NameTemplateValue, b: NameTemplateValue) => {
    if (typeof a === 'boolean') throw run.refuse('booleans have no order')
    return test(compare(run, a, b))
  })
}

/** As in Go, separates two operands by a space if neither of them is a string. */
function print(run: TemplateRun, ...values: readonly NameTemplateValue[]): ByteText {
  let text = ''
  values.forEach((value, index) => {
    const before = values[index - 1]
    if (before !== undefined && typeof before !== 'string' && typeof value !== 'string') text += ' '
    text += printed(run, value)
  })
  return text
}

function index(run: TemplateRun, text: ByteText, at: number): number {
  const byte = text.charCodeAt(at)
  if (Number.isNaN(byte)) throw run.refuse('the position for index must be within the text')
  return byte
}

function slice(run: TemplateRun, text: ByteText, from = 0, to = text.length): ByteText {
  if (from < 0 || from > to || to > text.length) throw run.refuse('the positions for slice must be in order and within the text')
  return text.slice(from, to)
}

const lastOf = (_run: TemplateRun, ...values: readonly NameTemplateValue[]): NameTemplateValue =>
  values.at(-1) as NameTemplateValue

export const BUILT_IN: Readonly<Record<string, TemplateFunction>> = {
  and: { least: 1, most: MANY, takes: ['any'], run: lastOf, endsAt: false },
  or: { least: 1, most: MANY, takes: ['any'], run: lastOf, endsAt: true },
  not: fixed(['any'], (_run, value: NameTemplateValue) => !isTrue(value)),
  eq: {
    least: 2,
    most: MANY,
    takes: ['any'],
    run: (run, value: NameTemplateValue, ...others: readonly NameTemplateValue[]) =>
      others.some((other) => compare(run, value, other) === 0),
  },
  ne: fixed(['any', 'any'], (run, a: NameTemplateValue, b: NameTemplateValue) => compare(run, a, b) !== 0),
  lt: ordered((order) => order < 0),
  le: ordered((order) => order <= 0),
  gt: ordered((order) => order > 0),
  ge: ordered((order) => order >= 0),
  len: fixed(['text'], (_run, text: ByteText) => text.length),
  index: fixed(['text', 'number'], index),
  slice: { least: 1, most: 3, takes: ['text', 'number'], run: slice },
  print: { least: 0, most: MANY, takes: ['any'], run: print },
  printf: { least: 1, most: MANY, takes: ['text', 'any'], run: printf },
}
