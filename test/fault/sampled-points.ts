/** Which of the points at which a process can be paused are tried. */
import { TIER } from '../tiers.ts'

/**
 * Reads of the store are many and alike, so a few of them are enough; of the other calls the moment before one and after a later one.
 * @param stride The number of calls, before and after counted apart, of which these two are taken.
 */
const sampled = <T extends { readonly call: string }>(points: readonly T[], stride: number): readonly T[] =>
  points.filter(({ call }, index) =>
    call === 'read' ? index % (2 * stride) === 0 : index % stride === 0 || index % stride === stride - 1,
  )

/** For the quick tier. */
export const fewPoints = <T extends { readonly call: string }>(points: readonly T[]): readonly T[] => sampled(points, 12)

/** For the slow tier; in the soak tier all of them. */
export const manyPoints = <T extends { readonly call: string }>(points: readonly T[]): readonly T[] =>
  TIER === 'soak' ? points : sampled(points, 4)
