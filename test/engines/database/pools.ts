/** Work on a pool whose credentials change under it. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Load {
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
  return {
    async stop(more) {
      while (done <= more && failed.length === 0) await sleep(10)
      running = false
      await Promise.all(all)
      return { done, failed }
    },
  }
}
