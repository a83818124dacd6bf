import { syncError } from './sync-error.ts'

/**
 * Runs `work`, and rejects as soon as the signal is aborted, even if an SDK ignores the signal. `work` gets a signal of its own, because
 * SDKs may leave listeners on the signal that they get.
 */
export async function untilAborted<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> {
  if (signal.aborted) throw syncError('external', 'aborted')
  const own = new AbortController()
  let end = (): void => {}
  const ended = new Promise<never>((_, reject) => {
    end = () => {
      own.abort()
      reject(syncError('external', 'aborted'))
    }
    signal.addEventListener('abort', end, { once: true })
  })
  try {
    return await Promise.race([work(own.signal), ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
