/** Signals that are aborted with the first of several others. */

/**
 * The signals that a combined one depends on. `AbortSignal.any` keeps them only weakly, and so does the timer of `AbortSignal.timeout`: a caller's
 * deadline would be collected as garbage, and would never come.
 */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>()

/** `AbortSignal.any` for signals that nothing else may keep. The result keeps them for as long as it is reachable or has listeners. */
export function combinedSignal(...signals: readonly AbortSignal[]): AbortSignal {
  const combined = AbortSignal.any([...signals])
  sources.set(combined, signals)
  return combined
}
