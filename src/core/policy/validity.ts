/** The period in which rules and policies with an expiration apply. */
import type { PolicyRule } from './policy.ts'

/** A period of time in milliseconds since the epoch: `from` is inclusive, `until` exclusive. */
export interface Validity {
  readonly from: number
  readonly until: number
}

export const ALWAYS: Validity = /* @__PURE__ */ Object.freeze({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY })

/** Used if the current time or an expiration is not a finite number, because it is then unknown which rules apply. */
const NEVER: Validity = /* @__PURE__ */ Object.freeze({ from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY })

export const isNever = (span: Validity): boolean => span.from >= span.until

/** Whether the period contains the time. Only {@link ALWAYS} contains a time that is not a finite number. */
export const isValidAt = (span: Validity, now: number): boolean => span === ALWAYS || (now >= span.from && now < span.until)

/** Whether an expiration has passed. If the expiration or the current time is not a finite number, the expiration counts as passed. */
export const hasEnded = (ends: number | undefined, now: number): boolean =>
  ends !== undefined && !(Number.isFinite(now) && now < ends)

/** Splits a period at an expiration and returns the part that contains `now`. */
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

/** The rules that have not expired at a time, and the period in which exactly these rules apply. */
export function rulesAt(
  rules: readonly PolicyRule[],
  now: number,
): { readonly rules: readonly PolicyRule[]; readonly validity: Validity } {
  if (rules.every(({ ends }) => ends === undefined)) return { rules, validity: ALWAYS }
  const validity = rules.reduce((span, { ends }) => cutAt(span, ends, now), ALWAYS)
  return { rules: rules.filter(({ ends }) => !hasEnded(ends, now)), validity }
}
