/** Work on a pool whose credentials change under it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'

export interface Load {
  /** Waits until so many more were done, or one failed. */
  more(count: number): Promise<void>
  /** Goes on until more than so many were done, then stops, and tells how many were done and what failed. */
  stop(more: number): Promise<{ readonly done: number; readonly failed: readonly unknown[] }>
}

/** Callers that work without a pause. */
export function underLoad(callers: number, work: () => Promise<unknown>): Load {
  let running = true
  let done = 0
  const failed: unknown[] = []
  const caller = async (): Promise<void> => {
    while (running) {
      try {
        await work()
        done++
      } catch (error) {
        failed.push(error)
        await sleep(10)
      }
    }
  }
  const all = Array.from({ length: callers }, caller)
  const reach = (count: number): Promise<void> =>
    vi.waitFor(() => expect(done > count || failed.length > 0).toBe(true), { timeout: 60_000, interval: 5 })
  return {
    more: (count) => reach(done + count),
    async stop(more) {
      await reach(more)
      running = false
      await Promise.all(all)
      return { done, failed }
    },
  }
}
