/**
 * The source signals of each combined signal. `AbortSignal.any` references them only weakly, and so does the timer of
 * `AbortSignal.timeout`: without a strong reference, a caller's deadline could be garbage-collected and would never fire.
 */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>()

/**
 * `AbortSignal.any` for signals that nothing else may reference. The result keeps them alive as long as it is reachable or has listeners.
 */
export function combinedSignal(...signals: readonly AbortSignal[]): AbortSignal {
  const combined = AbortSignal.any([...signals])
  sources.set(combined, signals)
  return combined
}
