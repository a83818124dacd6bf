/** A later turn of the event loop, behind what input and output have waiting. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
