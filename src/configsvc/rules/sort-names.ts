/**
 * Sorting in steps.
 */
import { Pace, type Steps } from '../../core/base/steps.ts'

/** As many are sorted at once. */
const RUN = 1024

const RUN_MICROSECONDS = 2000

const MERGE_MICROSECONDS = 0.5

interface Named {
  readonly name: string
}

/** Sorted by name, in the order of code units. The names are distinct. */
export function* sortNames<T extends Named>(list: readonly T[]): Steps<readonly T[]> {
  const pace = new Pace()
  let runs: (readonly T[])[] = []
  for (let from = 0; from < list.length; from += RUN) {
    runs.push(list.slice(from, from + RUN).sort((a, b) => (a.name < b.name ? -1 : 1)))
    if (pace.spend(RUN_MICROSECONDS)) yield
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] as readonly T[], runs[i + 1] ?? [], pace))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<T extends Named>(a: readonly T[], b: readonly T[], pace: Pace): Steps<readonly T[]> {
  const merged: T[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]]
    if (right === undefined || (left !== undefined && left.name < right.name)) {
      merged.push(left as T)
      i++
    } else {
      merged.push(right)
      j++
    }
    if (pace.spend(MERGE_MICROSECONDS)) yield
  }
  return merged
}
