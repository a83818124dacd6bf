/** Evaluates a checked expression for a datum. Missing values are treated as in Consul. */
import type { CheckedComparison, CheckedExpression, CheckedTerm } from './check-expression.ts'
import { EvaluationBudget } from './evaluation-budget.ts'
import { equals, type Scalar, ZEROS } from './scalar.ts'
import { isScalar, type Shape } from './shape.ts'
import type { Operator } from './syntax.ts'

/**
 * @param effort The remaining budget, which the call reduces by its work.
 * @throws KernelError 400 if the evaluation takes too long, because of long strings with large patterns or very long lists
 */
export function matches(checked: CheckedExpression, datum: unknown, effort = new EvaluationBudget()): boolean {
  const evaluate = (term: CheckedTerm): boolean => {
    if (term.kind === 'comparison') return evaluateComparison(term, checked.shape, datum, effort)
    if (term.kind === 'not') return !evaluate(term.operand)
    return term.kind === 'and' ? term.terms.every(evaluate) : term.terms.some(evaluate)
  }
  return evaluate(checked.root)
}

/** @param effort The budget that all comparisons of one evaluation share. */
export function evaluateComparison(one: CheckedComparison, shape: Shape, datum: unknown, effort: EvaluationBudget): boolean {
  const { selector, operator } = one.comparison

  /**
   * If the selector passes through a list, the comparison is true if it is true for at least one element. This holds for every operator,
   * even for negated ones such as `not in`.
   */
  const walk = (at: Shape, value: unknown, depth: number): boolean => {
    effort.spend(1)
    const name = selector[depth]
    if (name === undefined) return compare(one, at, value, effort)
    if (at.kind === 'list') return Array.isArray(value) && value.some((element) => walk(at.of, element, depth))
    const below = lookupMember(at, value, name)
    return below ? walk(below.shape, below.value, depth + 1) : resultForMissing(operator)
  }
  return walk(shape, datum, 0)
}

/** Returns the member with this name; undefined if it is missing. */
export function lookupMember(
  shape: Shape,
  value: unknown,
  name: string,
): { readonly shape: Shape; readonly value: unknown } | undefined {
  if (!isObject(value)) return undefined
  if (shape.kind === 'map') return Object.hasOwn(value, name) ? { shape: shape.of, value: value[name] } : undefined
  const member = shape.kind === 'record' && Object.hasOwn(shape.members, name) ? shape.members[name] : undefined
  if (!member) return undefined
  const found = Object.hasOwn(value, name) ? value[name] : undefined
  return { shape: member, value: found === undefined && isScalar(member) ? ZEROS[member.kind] : found }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NEGATIVE: readonly Operator[] = ['Not Equal', 'Not In', 'Not Matches', 'Is Empty']

/** A missing value counts as empty. It equals, contains and matches nothing. */
const resultForMissing = (operator: Operator): boolean => NEGATIVE.includes(operator)

function compare(one: CheckedComparison, shape: Shape, value: unknown, effort: EvaluationBudget): boolean {
  const { operator } = one.comparison
  if (value === null || value === undefined) return resultForMissing(operator)
  switch (operator) {
    case 'Equal':
      return equals(one.compared, one.expected as Scalar, value)
    case 'Not Equal':
      return !equals(one.compared, one.expected as Scalar, value)
    case 'In':
      return contains(one, shape, value, effort)
    case 'Not In':
      return !contains(one, shape, value, effort)
    case 'Matches':
      return isMatch(one, value, effort)
    case 'Not Matches':
      return !isMatch(one, value, effort)
    case 'Is Empty':
      return isEmpty(value)
    case 'Is Not Empty':
      return !isEmpty(value)
    default:
      return operator satisfies never
  }
}

function contains(one: CheckedComparison, shape: Shape, value: unknown, effort: EvaluationBudget): boolean {
  const wanted = one.expected as Scalar
  if (shape.kind === 'map') return isObject(value) && Object.hasOwn(value, wanted as string)
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return false
    return value.some((element) => {
      effort.spend(1)
      return equals(one.compared, wanted, element)
    })
  }
  if (typeof value !== 'string') return false
  // `includes` may compare each character of `value` once for every 256 characters of `wanted`.
  effort.spend((value.length * (1 + ((wanted as string).length >> 8))) >> 6)
  return value.includes(wanted as string)
}

function isMatch(one: CheckedComparison, value: unknown, effort: EvaluationBudget): boolean {
  return typeof value === 'string' && one.pattern !== undefined && one.pattern.matches(value, effort)
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) for (const name in value) if (Object.hasOwn(value, name)) return false
  return true
}
