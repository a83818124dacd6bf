import type { Comparison, ExpressionTerm, FilterExpression } from './syntax.ts'
import { quote } from './unquote.ts'

const NAME = /^[a-zA-Z][a-zA-Z0-9_]*$/

const SIGNS = {
  Equal: '==',
  'Not Equal': '!=',
  In: 'in',
  'Not In': 'not in',
  Matches: 'matches',
  'Not Matches': 'not matches',
  'Is Empty': 'is empty',
  'Is Not Empty': 'is not empty',
} as const

/** A term is put in parentheses if the enclosing term has a higher precedence. */
const PRECEDENCE = { or: 0, and: 1, not: 2, comparison: 3 } as const

/** Prints the expression in canonical form: values in double quotes, and only the necessary parentheses. */
export const printExpression = ({ root }: FilterExpression): string => printTerm(root)

function printTerm(term: ExpressionTerm): string {
  if (term.kind === 'comparison') return printComparison(term)
  if (term.kind === 'not') return `not ${printWithin(term.operand, PRECEDENCE.not)}`
  return term.terms.map((inner) => printWithin(inner, PRECEDENCE[term.kind] + 1)).join(` ${term.kind} `)
}

const printWithin = (term: ExpressionTerm, least: number): string =>
  PRECEDENCE[term.kind] < least ? `(${printTerm(term)})` : printTerm(term)

export function printComparison({ selector, operator, value }: Comparison): string {
  const path = printSelector(selector)
  const sign = SIGNS[operator]
  if (value === undefined) return `${path} ${sign}`
  return operator === 'In' || operator === 'Not In' ? `${quote(value)} ${sign} ${path}` : `${path} ${sign} ${quote(value)}`
}

export const printSelector = (selector: readonly string[]): string =>
  selector.map((name, index) => (NAME.test(name) ? (index === 0 ? name : `.${name}`) : `[${quote(name)}]`)).join('')
