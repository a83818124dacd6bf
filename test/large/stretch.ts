/** Returns the result of `work` and the longest time that it blocked the event loop, in processor milliseconds of this process. */
export async function longestStretch<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly worst: number }> {
  let worst = 0
  let last = process.cpuUsage()
  let running = true
  const look = () => {
    const { user, system } = process.cpuUsage(last)
    worst = Math.max(worst, (user + system) / 1000)
    last = process.cpuUsage()
    if (running) setImmediate(look)
  }
  setImmediate(look)
  const result = await work()
  await new Promise((resolve) => setImmediate(resolve))
  running = false
  return { result, worst }
}

/** Runs one case of a suite. A measured run repeats it and bounds its longest blocking time. */
export type Watch = (attempt: () => Promise<unknown>) => Promise<void>

/** Runs a case once without measuring. */
export const unwatched: Watch = async (attempt) => {
  await attempt()
}
