/**
 * The time during which rules and policies with an expiration hold.
 */
import type { PolicyRule } from './policy.ts'

/** A span in milliseconds since the epoch: from `from` on, and before `until`. */
export interface Validity {
  readonly from: number
  readonly until: number
}

export const ALWAYS: Validity = /* @__PURE__ */ Object.freeze({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY })

/** Used while the time or an expiration is not a finite number: the rules that hold are then unknown. */
const NEVER: Validity = /* @__PURE__ */ Object.freeze({ from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY })

export const isNever = (span: Validity): boolean => span.from >= span.until

/** Whether the span contains a time. A time that is not finite is in no span but {@link ALWAYS}. */
export const isValidAt = (span: Validity, now: number): boolean => span === ALWAYS || (now >= span.from && now < span.until)

/** Whether something has ended. If the time now or its end is not a finite number, it counts as ended. */
export const hasEnded = (ends: number | undefined, now: number): boolean =>
  ends !== undefined && !(Number.isFinite(now) && now < ends)

/** The part of a span on that side of an expiration on which `now` is. */
export function cutAt(span: Validity, ends: number | undefined, now: number): Validity {
  if (ends === undefined) return span
  if (!Number.isFinite(now) || !Number.isFinite(ends)) return NEVER
  const { from, until } = span
  return hasEnded(ends, now) ? { from: Math.max(from, ends), until } : { from, until: Math.min(until, ends) }
}

export function overlapOf(a: Validity, b: Validity): Validity {
  if (a === ALWAYS) return b
  return b === ALWAYS ? a : { from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) }
}

/** The rules that hold at a time, and how long these and no others do. */
export function rulesAt(
  rules: readonly PolicyRule[],
  now: number,
): { readonly rules: readonly PolicyRule[]; readonly validity: Validity } {
  if (rules.every(({ ends }) => ends === undefined)) return { rules, validity: ALWAYS }
  const validity = rules.reduce((span, { ends }) => cutAt(span, ends, now), ALWAYS)
  return { rules: rules.filter(({ ends }) => !hasEnded(ends, now)), validity }
}
