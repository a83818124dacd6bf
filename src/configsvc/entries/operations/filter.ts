/** Filters for lists: expressions over the members of a kind. */
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

/** The limit of work for filtering one list, in units of {@link EvaluationBudget}; corresponds to about a second. */
const MAX_FILTER_UNITS = 2_000_000

const UNIT_MICROSECONDS = 0.5

/** The cost of each entry in addition to the cost of evaluating the filter. */
const ENTRY_MICROSECONDS = 3

/** Returns the matching entries. @throws KernelError 400 if filtering would take too long */
export function* filterSteps(filter: CheckedExpression, entries: readonly StoredEntry[]): Steps<readonly StoredEntry[]> {
  const pace = new Pace()
  const found: StoredEntry[] = []
  let spent = 0
  for (const entry of entries) {
    const effort = new EvaluationBudget()
    if (matches(filter, entry, effort)) found.push(entry)
    spent += effort.spent
    if (spent > MAX_FILTER_UNITS) throw invalid('filter: takes too long for this number of entries; use a simpler expression')
    if (pace.spend(ENTRY_MICROSECONDS + effort.spent * UNIT_MICROSECONDS)) yield
  }
  return found
}
