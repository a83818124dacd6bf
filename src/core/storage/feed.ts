/**
 * The watchers of a store, and its recent commits for watchers that start late.
 */
import type { Change, Revision } from './port.ts'

/**
 * The number of past commits that the feed remembers. A watcher that starts at one of them gets the later ones one by one. A watcher that
 * starts at an earlier revision gets one change with `keys: null`.
 */
const REMEMBERED_CHANGES = 1024

export interface Feed {
  /** The newest announced revision. */
  readonly revision: Revision
  /** Calls all watchers before it returns. Revisions must increase; a revision that was already announced is ignored. */
  announce(change: Change): void
  /** Calls `onChange` for the past commits after `from`, and then for all later commits. Returns a function that stops the calls. */
  watch(prefix: string, from: Revision, onChange: (change: Change) => void): () => void
  /** Stops all watches. */
  close(): void
}

interface Watcher {
  readonly prefix: string
  readonly onChange: (change: Change) => void
  seen: Revision
}

function notify(watcher: Watcher, change: Change): void {
  if (change.revision <= watcher.seen) return
  watcher.seen = change.revision
  const keys = change.keys?.filter((key) => key.startsWith(watcher.prefix)) ?? null
  // A watcher of all keys gets every revision, even the revision of a commit that wrote nothing.
  if (keys?.length === 0 && watcher.prefix !== '') return
  try {
    watcher.onChange({ revision: change.revision, keys })
  } catch (error) {
    // A watcher that throws breaks the port's contract. It must affect neither the commit nor other watchers.
    queueMicrotask(() => {
      throw error
    })
  }
}

/** A feed for a store at revision `start`. It cannot report commits before that revision. */
export function changeFeed(start: Revision, keep: number = REMEMBERED_CHANGES): Feed {
  const watchers = new Set<Watcher>()
  let recent: Change[] = []
  /** `recent` contains all commits after this revision. */
  let horizon = start
  let revision = start
  let notifying = false

  const remember = (change: Change): void => {
    revision = change.revision
    recent.push(change)
    if (recent.length < keep * 2) return
    horizon = recent[recent.length - keep - 1]!.revision
    recent = recent.slice(-keep)
  }

  return {
    get revision() {
      return revision
    },
    announce(change) {
      if (change.revision <= revision) return
      remember(change)
      // A watcher may commit again immediately. All watchers must be notified of the first commit before the second.
      if (notifying) return
      notifying = true
      for (let next = change; ; ) {
        for (const watcher of [...watchers]) if (watchers.has(watcher)) notify(watcher, next)
        if (next.revision === revision) break
        next = recent.find((other) => other.revision > next.revision)!
      }
      notifying = false
    },
    watch(prefix, from, onChange) {
      const watcher: Watcher = { prefix, onChange, seen: from }
      if (from < horizon) notify(watcher, { revision: horizon, keys: null })
      for (const change of recent.slice()) notify(watcher, change)
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    close: () => watchers.clear(),
  }
}
