import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'

export interface Load {
  /** Waits until `count` more calls have succeeded or one has failed. */
  more(count: number): Promise<void>
  /** Waits for `more` successful calls in total, then stops and returns the results. */
  stop(more: number): Promise<{ readonly done: number; readonly failed: readonly unknown[] }>
}

/** Starts concurrent callers without pauses. */
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
