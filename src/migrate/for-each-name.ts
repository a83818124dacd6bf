import { withRetries } from './with-retries.ts'

/**
 * Handles the names of a sorted list, several at a time.
 * @param reached Called with the last name up to which all names were handled, in order.
 * @throws the first error of `handle`. Calls that run at that time have ended before.
 */
export async function forEachName(
  names: readonly string[],
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
  handle: (name: string) => Promise<void>,
  reached: (name: string) => Promise<void>,
): Promise<void> {
  const finished = new Set<number>()
  let next = 0
  let complete = 0
  let failure: { readonly error: unknown } | undefined
  const work = async () => {
    while (!failure && next < names.length) {
      const at = next++
      try {
        signal.throwIfAborted()
        await withRetries(() => handle(names[at] as string), signal)
        finished.add(at)
        while (finished.delete(complete)) complete++
        if (complete > 0) await reached(names[complete - 1] as string)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  if (failure) throw failure.error
}
