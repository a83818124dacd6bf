/** `watch` of a storage that follows its store only while somebody watches it. */
import type { Feed } from './feed.ts'
import type { Storage } from './port.ts'

export interface Following {
  readonly feed: Feed
  /** Resolves when all commits from then on are announced. Called by every watch, also when the store is followed already. */
  start(): Promise<void>
  /** Nobody watches any more, or nobody could. */
  stop(): void
}

export function following({ feed, start, stop }: Following): Storage['watch'] {
  let watches = 0
  const leave = (): void => {
    if (--watches === 0) stop()
  }
  return async (prefix, from, onChange) => {
    watches++
    try {
      await start()
    } catch (error) {
      leave()
      throw error
    }
    const end = feed.watch(prefix, from, onChange)
    let ended = false
    return async () => {
      end()
      if (!ended) leave()
      ended = true
    }
  }
}
