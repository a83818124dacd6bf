/**
 * Calls that end with their signal, whatever an SDK makes of it.
 */
import { syncError } from './sync-error.ts'

/**
 * Runs `work`; once the signal is aborted it rejects at once. `work` gets a signal of its own, because SDKs add listeners and do not always
 * take them off.
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
