/**
 * Filters of lists: expressions over the members of a kind.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { type CheckedExpression, checkExpression, EvaluationBudget, matches, parseExpression } from '../../expression/index.ts'
import { entryShape } from '../entry-shape.ts'
import type { EntryKind } from '../kind.ts'
import type { StoredEntry } from '../stored-entry.ts'

/** @throws KernelError 400 */
export function readFilter(filter: string, kind: EntryKind): CheckedExpression | undefined {
  if (filter === '') return undefined
  try {
    return checkExpression(parseExpression(filter), entryShape(kind))
  } catch (thrown) {
    throw thrown instanceof KernelError ? invalid(`filter: ${thrown.message}`) : thrown
  }
}

/** What one list may take, in the units of {@link EvaluationBudget}: a second. */
const MAX_FILTER_UNITS = 2_000_000

const UNIT_MICROSECONDS = 0.5

/** Beside what its evaluation takes. */
const ENTRY_MICROSECONDS = 3

/** Those that the filter admits. @throws KernelError 400 where it would take too long */
export function* filterSteps(filter: CheckedExpression, entries: readonly StoredEntry[]): Steps<readonly StoredEntry[]> {
  const pace = new Pace()
  const found: StoredEntry[] = []
  let spent = 0
  for (const entry of entries) {
    const effort = new EvaluationBudget()
    if (matches(filter, entry, effort)) found.push(entry)
    spent += effort.spent
    if (spent > MAX_FILTER_UNITS) throw invalid('filter: takes too long for so many entries')
    if (pace.spend(ENTRY_MICROSECONDS + effort.spent * UNIT_MICROSECONDS)) yield
  }
  return found
}
