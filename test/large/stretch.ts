/**
 * How long a piece of work keeps everything else in the process waiting.
 */

/** The result of `work`, and the longest time, in processor milliseconds of this process, that nothing else could run. */
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

/** Runs one case of a suite. A measured run repeats it and bounds its longest stretch. */
export type Watch = (attempt: () => Promise<unknown>) => Promise<void>

/** Runs a case once and measures nothing. */
export const unwatched: Watch = async (attempt) => {
  await attempt()
}
