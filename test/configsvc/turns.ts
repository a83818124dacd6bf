/**
 * Counts how often long work yields to the event loop, so that other callers can run.
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

/** Runs several turns of the event loop: enough for work that waits for no clock, input or output. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
