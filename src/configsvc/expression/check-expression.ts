/**
 * Validates an expression in Consul's filter language against the shape of the data: every selector must exist, its type must support the
 * operator, and the value must have that type.
 */
import { invalid } from '../../core/base/errors.ts'
import { MAX_PATTERN_WEIGHT, Pattern, patternWeight } from './pattern.ts'
import { textPosition } from './position.ts'
import { coerce, type Scalar } from './scalar.ts'
import { isScalar, type ScalarShape, type Shape, shapeBelow, textShape } from './shape.ts'
import type { Comparison, ExpressionTerm, FilterExpression, Operator } from './syntax.ts'

export interface CheckedComparison {
  readonly kind: 'comparison'
  readonly comparison: Comparison
  /** The shape of the data with which the value is compared: the elements of a list, the keys of a map, or the scalar itself. */
  readonly compared: ScalarShape
  /** Undefined if the operator takes no value. */
  readonly expected: Scalar | undefined
  /** Only for `Matches` and `Not Matches`. */
  readonly pattern: Pattern | undefined
}

export type CheckedTerm =
  | CheckedComparison
  | { readonly kind: 'not'; readonly operand: CheckedTerm }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly CheckedTerm[] }

/** A validated expression. It can be evaluated repeatedly, for any datum of the shape. */
export interface CheckedExpression {
  readonly expression: FilterExpression
  readonly shape: Shape
  readonly root: CheckedTerm
}

const EMPTINESS: readonly Operator[] = ['Is Empty', 'Is Not Empty']

const EQUALITY: readonly Operator[] = ['Equal', 'Not Equal']

const MEMBERSHIP: readonly Operator[] = ['In', 'Not In']

const operatorsOf = (shape: Shape): readonly Operator[] => {
  switch (shape.kind) {
    case 'string':
      return [...EQUALITY, ...MEMBERSHIP, 'Matches', 'Not Matches']
    case 'bool':
    case 'int':
    case 'float':
      return EQUALITY
    case 'list':
      return isScalar(shape.of) ? [...MEMBERSHIP, ...EMPTINESS] : EMPTINESS
    case 'map':
      return [...MEMBERSHIP, ...EMPTINESS]
    case 'other map':
      return EMPTINESS
    case 'record':
      return []
    default:
      return shape satisfies never
  }
}

/** @throws KernelError 400 with the position of the invalid comparison */
export function checkExpression(expression: FilterExpression, shape: Shape): CheckedExpression {
  let patterns = 0

  const checkTerm = (term: ExpressionTerm): CheckedTerm => {
    if (term.kind === 'comparison') return checkComparison(term)
    if (term.kind === 'not') return { kind: 'not', operand: checkTerm(term.operand) }
    return { kind: term.kind, terms: term.terms.map(checkTerm) }
  }

  const checkComparison = (comparison: Comparison): CheckedComparison => {
    const { selector, operator, value, at } = comparison
    const refuse = (rule: string) => invalid(`${textPosition(expression.text, at)}: ${rule}`)
    const shown = (depth: number): string => JSON.stringify(selector.slice(0, depth).join('.'))

    let final = shape
    for (const [index, name] of selector.entries()) {
      const next = shapeBelow(final, name)
      if (!next) throw refuse(`Selector ${shown(index + 1)} is not valid`)
      final = next
    }
    if (!operatorsOf(final).includes(operator))
      throw refuse(`Invalid match operator "${operator}" for selector ${shown(selector.length)}`)

    const compared = comparedShape(final)
    if (value === undefined) return { kind: 'comparison', comparison, compared, expected: undefined, pattern: undefined }
    const coerced = coerce(compared, value)
    if ('refused' in coerced)
      throw refuse(`Failed to coerce value ${cut(value)} for selector ${shown(selector.length)}: ${coerced.refused}`)
    const pattern = operator === 'Matches' || operator === 'Not Matches' ? compile(value, refuse) : undefined
    return { kind: 'comparison', comparison, compared, expected: coerced.value, pattern }
  }

  const compile = (source: string, refuse: (rule: string) => Error): Pattern => {
    patterns += patternWeight(source)
    if (patterns > MAX_PATTERN_WEIGHT)
      throw refuse('the regular expressions are too large: fewer repetitions, classes or characters are needed')
    try {
      return new Pattern(source)
    } catch (error) {
      throw refuse(`Failed to compile regular expression ${cut(source)}: ${error instanceof Error ? error.message : ''}`)
    }
  }

  return { expression, shape, root: checkTerm(expression.root) }
}

/** The shape of the values with which a value of this shape is compared. For a shape of the kind `record`, the result is not used. */
function comparedShape(shape: Shape): ScalarShape {
  if (isScalar(shape)) return shape
  return shape.kind === 'list' && isScalar(shape.of) ? shape.of : textShape
}

const cut = (value: string): string => JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}...` : value)
