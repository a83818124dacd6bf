/**
 * How often long work gives way: other callers have their turn between two pieces of it.
 */

/** The result of `work`, and how many turns of the event loop began before it ended. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0
  let running = true
  const count = () => {
    if (!running) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  try {
    const result = await work()
    return { result, turns }
  } finally {
    running = false
  }
}

/** Several turns of the event loop, enough for everything that waits for neither a clock nor input or output. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
