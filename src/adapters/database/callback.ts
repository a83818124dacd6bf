/** The callback of a driver method that can also return a promise. */
export type Callback<T> = (error: Error | null, value?: T) => void

/**
 * Calls the callback outside the promise chain. So an error that the callback throws is an uncaught exception, as if the driver had called
 * it.
 */
export function callBack<T>(work: Promise<T>, callback: Callback<T>): void {
  work.then(
    (value) => process.nextTick(callback, null, value),
    (error) => process.nextTick(callback, error),
  )
}

/** A listener for `error` events: without one, such an event would end the process. The next call on the connection reports the error. */
export const ignoreError = (): void => undefined
