/** Resolves in a later turn of the event loop, after pending input and output. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
