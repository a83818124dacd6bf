/** Evaluates an expression and reports which comparisons decided the result. For diagnostics; contains values, which are truncated. */
import type { CheckedComparison, CheckedExpression, CheckedTerm } from './check-expression.ts'
import { evaluateComparison, lookupMember } from './evaluate.ts'
import { EvaluationBudget } from './evaluation-budget.ts'
import { printComparison, printSelector } from './print-expression.ts'
import type { Shape } from './shape.ts'

export interface MatchExplanation {
  readonly matches: boolean
  /** The comparisons that decided the result, such as `value.team == "a" is false: value.team is missing`. */
  readonly reason: string
}

const MAX_COMPARISONS_SHOWN = 8

/** The maximum number of characters shown of a comparison or value. */
const MAX_SHOWN_CHARACTERS = 200

/** The maximum number of elements or keys shown of one value. */
const MAX_ELEMENTS_SHOWN = 8

interface Decision {
  readonly one: CheckedComparison
  readonly said: boolean
}

interface TermResult {
  readonly matches: boolean
  readonly decided: readonly Decision[]
}

/** @throws KernelError 400 in the same cases as `matches` */
export function explainMatch(checked: CheckedExpression, datum: unknown): MatchExplanation {
  const effort = new EvaluationBudget()
  const evaluate = (term: CheckedTerm): TermResult => {
    if (term.kind === 'comparison') {
      const said = evaluateComparison(term, checked.shape, datum, effort)
      return { matches: said, decided: [{ one: term, said }] }
    }
    if (term.kind === 'not') {
      const { matches, decided } = evaluate(term.operand)
      return { matches: !matches, decided }
    }
    const deciding = term.kind === 'or'
    const decided: Decision[] = []
    for (const inner of term.terms) {
      const verdict = evaluate(inner)
      if (verdict.matches === deciding) return verdict
      for (const decision of verdict.decided) decided.push(decision)
    }
    return { matches: !deciding, decided }
  }

  const { matches, decided } = evaluate(checked.root)
  const reasons = decided
    .slice(0, MAX_COMPARISONS_SHOWN)
    .map(({ one, said }) => `${cut(printComparison(one.comparison))} is ${said}: ${observed(one, checked.shape, datum)}`)
  if (decided.length > MAX_COMPARISONS_SHOWN) reasons.push(`${decided.length - MAX_COMPARISONS_SHOWN} more`)
  return { matches, reason: reasons.join('; ') }
}

/** Describes the value at the comparison's selector. */
function observed({ comparison: { selector } }: CheckedComparison, root: Shape, datum: unknown): string {
  let shape = root
  let value = datum
  for (const [depth, name] of selector.entries()) {
    if (shape.kind === 'list') return `${cut(printSelector(selector.slice(0, depth)))} has ${counted(value, 'element')}`
    const below = lookupMember(shape, value, name)
    if (!below || below.value === undefined || below.value === null)
      return `${cut(printSelector(selector.slice(0, depth + 1)))} is missing`
    shape = below.shape
    value = below.value
  }
  return `${cut(printSelector(selector))} ${described(value)}`
}

function described(value: unknown): string {
  if (typeof value === 'string') return `is ${JSON.stringify(cut(value))}`
  if (typeof value !== 'object') return `is ${value}`
  const shown = Array.isArray(value) ? value : Object.keys(value as object)
  const count = counted(value, Array.isArray(value) ? 'element' : 'key')
  if (shown.length === 0) return `has ${count}`
  const list = shown
    .slice(0, MAX_ELEMENTS_SHOWN)
    .map((one) => (typeof one === 'string' ? JSON.stringify(cut(one)) : typeof one === 'object' ? '{...}' : `${one}`))
  return `has ${count}: ${list.join(', ')}${shown.length > MAX_ELEMENTS_SHOWN ? ', ...' : ''}`
}

function counted(value: unknown, noun: string): string {
  const count = Array.isArray(value) ? value.length : typeof value === 'object' && value !== null ? Object.keys(value).length : 0
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`
}

const cut = (text: string): string => (text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text)
