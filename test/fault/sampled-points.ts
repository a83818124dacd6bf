/** Selects the calls at which a process is paused. */
import { TIER } from '../tiers.ts'

/**
 * Reads of the store are many and similar, so a few are enough. For other calls, one moment before a call and one after a later call are enough.
 * @param stride The group size: two calls of every `stride` are taken, counted separately for before and after.
 */
const sampled = <T extends { readonly call: string }>(points: readonly T[], stride: number): readonly T[] =>
  points.filter(({ call }, index) =>
    call === 'read' ? index % (2 * stride) === 0 : index % stride === 0 || index % stride === stride - 1,
  )

/** For the quick tier. */
export const fewPoints = <T extends { readonly call: string }>(points: readonly T[]): readonly T[] => sampled(points, 12)

/** For the slow tier. The soak tier takes all of them. */
export const manyPoints = <T extends { readonly call: string }>(points: readonly T[]): readonly T[] =>
  TIER === 'soak' ? points : sampled(points, 4)
