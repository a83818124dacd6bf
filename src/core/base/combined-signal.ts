/**
 * The source signals of each combined signal. `AbortSignal.any` references its sources only weakly, and the timer of `AbortSignal.timeout`
 * references its signal only weakly. Without a strong reference, a caller's deadline could be garbage-collected and would never fire.
 */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>()

/**
 * Like `AbortSignal.any`, but as long as the result is reachable or has listeners, the source signals are not garbage-collected. The caller
 * need not keep references to the source signals.
 */
export function combinedSignal(...signals: readonly AbortSignal[]): AbortSignal {
  const combined = AbortSignal.any([...signals])
  sources.set(combined, signals)
  return combined
}
