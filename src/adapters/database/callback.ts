/** The callback of a driver method that can also return a promise. */
export type Callback<T> = (error: Error | null, value?: T) => void

/** Calls the callback outside the promise chain. So an error that the callback throws is an uncaught exception, as with the driver. */
export function callBack<T>(work: Promise<T>, callback: Callback<T>): void {
  work.then(
    (value) => process.nextTick(callback, null, value),
    (error) => process.nextTick(callback, error),
  )
}

/** Keeps an `error` event from ending the process. The next call on the connection reports the error. */
export const ignoreError = (): void => undefined
