/** `watch` for a storage that follows its store only while there are watchers. */
import type { Feed } from './feed.ts'
import type { Storage } from './port.ts'

export interface WatchSource {
  readonly feed: Feed
  /**
   * Resolves when the storage follows its store, so that the feed announces every later commit. Called for every watch, even if the storage
   * already follows the store.
   */
  start(): Promise<void>
  /** Called when the last watcher has stopped, or when `start` failed for the only watcher. */
  stop(): void
}

export function watchOnDemand({ feed, start, stop }: WatchSource): Storage['watch'] {
  let watches = 0
  const release = (): void => {
    if (--watches === 0) stop()
  }
  return async (prefix, from, onChange) => {
    watches++
    try {
      await start()
    } catch (error) {
      release()
      throw error
    }
    const end = feed.watch(prefix, from, onChange)
    let ended = false
    return async () => {
      end()
      if (!ended) release()
      ended = true
    }
  }
}
