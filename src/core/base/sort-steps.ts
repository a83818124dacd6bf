/**
 * A stable merge sort that yields to the event loop.
 */
import { Pace, type Steps } from './steps.ts'

/** The number of items that are sorted at once. */
const RUN = 1024

const RUN_MICROSECONDS = 2000

const MERGE_MICROSECONDS = 0.5

const compare = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1)

/** Sorts by key, in the order of UTF-16 code units. Items with equal keys keep their order. @param keyOf Called many times per item. */
export function* sortSteps<T>(list: readonly T[], keyOf: (item: T) => string): Steps<readonly T[]> {
  const pace = new Pace()
  let runs: (readonly T[])[] = []
  for (let from = 0; from < list.length; from += RUN) {
    runs.push(list.slice(from, from + RUN).sort((a, b) => compare(keyOf(a), keyOf(b))))
    if (pace.spend(RUN_MICROSECONDS)) yield
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] as readonly T[], runs[i + 1] ?? [], keyOf, pace))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<T>(a: readonly T[], b: readonly T[], keyOf: (item: T) => string, pace: Pace): Steps<readonly T[]> {
  const merged: T[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const fromLeft = j >= b.length || (i < a.length && keyOf(a[i] as T) <= keyOf(b[j] as T))
    merged.push((fromLeft ? a[i++] : b[j++]) as T)
    if (pace.spend(MERGE_MICROSECONDS)) yield
  }
  return merged
}
