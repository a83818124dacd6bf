/**
 * How long something keeps everybody else waiting.
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
