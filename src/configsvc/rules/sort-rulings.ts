/**
 * Sorting in steps.
 */
import { Pace, type Steps } from '../../core/base/steps.ts'
import type { Ruling } from './ruling.ts'

/** As many are sorted at once. */
const RUN = 1024

const RUN_MICROSECONDS = 2000

const MERGE_MICROSECONDS = 0.5

const compare = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1)

/** Sorted by name, in the order of code units. */
export function* sortRulings(list: readonly Ruling[]): Steps<readonly Ruling[]> {
  const pace = new Pace()
  let runs: (readonly Ruling[])[] = []
  for (let from = 0; from < list.length; from += RUN) {
    runs.push(list.slice(from, from + RUN).sort((a, b) => compare(a.rule.name, b.rule.name)))
    if (pace.spend(RUN_MICROSECONDS)) yield
  }
  while (runs.length > 1) {
    const merged: (readonly Ruling[])[] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] as readonly Ruling[], runs[i + 1] ?? [], pace))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge(a: readonly Ruling[], b: readonly Ruling[], pace: Pace): Steps<readonly Ruling[]> {
  const merged: Ruling[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]]
    if (right === undefined || (left !== undefined && left.rule.name <= right.rule.name)) {
      merged.push(left as Ruling)
      i++
    } else {
      merged.push(right)
      j++
    }
    if (pace.spend(MERGE_MICROSECONDS)) yield
  }
  return merged
}
