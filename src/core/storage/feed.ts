/**
 * Who watches what, and the recent past for those who start late.
 */
import type { Change, Revision } from './port.ts'

/** How many commits a late watcher is told one by one; one who starts further back is told `keys: null`. */
const REMEMBERED_CHANGES = 1024

export interface Feed {
  /** The newest revision announced. */
  readonly revision: Revision
  /** Tells all watchers, before it returns. Revisions must rise; what was announced already is ignored. */
  announce(change: Change): void
  /** Tells `onChange` what was announced after `from`, then all that follows. Returns how to stop it. */
  watch(prefix: string, from: Revision, onChange: (change: Change) => void): () => void
  /** Stops all watches. */
  close(): void
}

interface Watcher {
  readonly prefix: string
  readonly onChange: (change: Change) => void
  seen: Revision
}

function tell(watcher: Watcher, change: Change): void {
  if (change.revision <= watcher.seen) return
  watcher.seen = change.revision
  const keys = change.keys?.filter((key) => key.startsWith(watcher.prefix)) ?? null
  // Who watches everything hears of every revision, also of one that wrote nothing.
  if (keys?.length === 0 && watcher.prefix !== '') return
  try {
    watcher.onChange({ revision: change.revision, keys })
  } catch (error) {
    // A watcher that throws breaks the port's contract; neither the commit nor the other watchers may suffer from it.
    queueMicrotask(() => {
      throw error
    })
  }
}

/** A feed of a store that is at `start`; what happened before that, it cannot tell. */
export function changeFeed(start: Revision, keep: number = REMEMBERED_CHANGES): Feed {
  const watchers = new Set<Watcher>()
  let recent: Change[] = []
  /** Everything after this revision is in `recent`. */
  let horizon = start
  let revision = start
  let telling = false

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
      // A watcher may commit again at once: the others hear of the first commit first.
      if (telling) return
      telling = true
      for (let told = change; ; ) {
        for (const watcher of [...watchers]) if (watchers.has(watcher)) tell(watcher, told)
        if (told.revision === revision) break
        told = recent.find((other) => other.revision > told.revision)!
      }
      telling = false
    },
    watch(prefix, from, onChange) {
      const watcher: Watcher = { prefix, onChange, seen: from }
      if (from < horizon) tell(watcher, { revision: horizon, keys: null })
      for (const change of recent.slice()) tell(watcher, change)
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    close: () => watchers.clear(),
  }
}
