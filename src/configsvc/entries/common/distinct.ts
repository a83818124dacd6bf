/**
 * Lists in which nothing may come twice.
 */
import { invalid } from '../../../core/base/errors.ts'
import type { Pace, Steps } from '../../../core/base/steps.ts'

const KEY_MICROSECONDS = 2

/** What makes an item the same as another. */
export type Identity = readonly (string | number | undefined)[]

/** @throws KernelError 400 that names the item which is there already. */
export function* checkDistinct<T>(items: readonly T[], of: (item: T) => Identity, path: string, pace: Pace): Steps<void> {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (pace.spend(KEY_MICROSECONDS)) yield
    const key = JSON.stringify(of(item))
    if (seen.has(key)) throw invalid(`${path}[${index}]: is there more than once`)
    seen.add(key)
  }
}
