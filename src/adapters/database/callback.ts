/** The form with a callback, or the one with a promise, of a method that drivers offer in both. */
export type Callback<T> = (error: Error | null, value?: T) => void

/** Calls back outside of promises, so that what the callback throws is an uncaught exception, as with the driver. */
export function callBack<T>(work: Promise<T>, callback: Callback<T>): void {
  work.then(
    (value) => process.nextTick(callback, null, value),
    (error) => process.nextTick(callback, error),
  )
}

/** Keeps an `error` event from ending the process. The next call on the connection reports the error. */
export const ignoreError = (): void => undefined
