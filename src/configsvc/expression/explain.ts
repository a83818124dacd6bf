/**
 * What a checked expression says of a datum, and which comparisons decided that. For diagnostics: values of the datum are shown, cut.
 */
import type { Checked, CheckedComparison, CheckedTerm } from './check-expression.ts'
import { Effort } from './effort.ts'
import { judgeComparison, memberOf } from './evaluate.ts'
import { printComparison, printSelector } from './print-expression.ts'
import type { Shape } from './shape.ts'

export interface Explanation {
  readonly matches: boolean
  /** The comparisons that decided, such as `value.team == "a" is false: value.team is missing`. */
  readonly reason: string
}

/** Comparisons in a reason. */
const MOST_COMPARISONS = 8

/** Characters of a printed comparison or of a value. */
const LONGEST_SHOWN = 200

/** Elements or keys that are shown of one value. */
const MOST_SHOWN = 8

interface Decision {
  readonly one: CheckedComparison
  readonly said: boolean
}

interface Verdict {
  readonly matches: boolean
  readonly decided: readonly Decision[]
}

/** @throws KernelError 400 as `matches` does */
export function explain(checked: Checked, datum: unknown): Explanation {
  const effort = new Effort()
  const judge = (term: CheckedTerm): Verdict => {
    if (term.kind === 'comparison') {
      const said = judgeComparison(term, checked.shape, datum, effort)
      return { matches: said, decided: [{ one: term, said }] }
    }
    if (term.kind === 'not') {
      const { matches, decided } = judge(term.operand)
      return { matches: !matches, decided }
    }
    const deciding = term.kind === 'or'
    const decided: Decision[] = []
    for (const inner of term.terms) {
      const verdict = judge(inner)
      if (verdict.matches === deciding) return verdict
      for (const decision of verdict.decided) decided.push(decision)
    }
    return { matches: !deciding, decided }
  }

  const { matches, decided } = judge(checked.root)
  const reasons = decided
    .slice(0, MOST_COMPARISONS)
    .map(({ one, said }) => `${cut(printComparison(one.comparison))} is ${said}: ${observed(one, checked.shape, datum)}`)
  if (decided.length > MOST_COMPARISONS) reasons.push(`${decided.length - MOST_COMPARISONS} more`)
  return { matches, reason: reasons.join('; ') }
}

/** What the datum has where the comparison looks. */
function observed({ comparison: { selector } }: CheckedComparison, root: Shape, datum: unknown): string {
  let shape = root
  let value = datum
  for (const [depth, name] of selector.entries()) {
    if (shape.kind === 'list') return `${cut(printSelector(selector.slice(0, depth)))} has ${counted(value, 'element')}`
    const below = memberOf(shape, value, name)
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
    .slice(0, MOST_SHOWN)
    .map((one) => (typeof one === 'string' ? JSON.stringify(cut(one)) : typeof one === 'object' ? '{...}' : `${one}`))
  return `has ${count}: ${list.join(', ')}${shown.length > MOST_SHOWN ? ', ...' : ''}`
}

function counted(value: unknown, noun: string): string {
  const count = Array.isArray(value) ? value.length : typeof value === 'object' && value !== null ? Object.keys(value).length : 0
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`
}

const cut = (text: string): string => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text)
