/**
 * Watches the verdicts of all processes and announces their changes. After a failure, it continues at another member, after the last
 * revision that it has received. If the cluster has compacted later revisions, it announces that everything may have changed.
 */
import type { Feed } from '../../core/storage/feed.ts'
import type { Change } from '../../core/storage/port.ts'
import { type EtcdClient, pauseMs, sleep } from './client.ts'
import { endOf, type Layout } from './layout.ts'
import { readWatch, type WatchAnswer } from './messages.ts'
import { readRevision } from './reads.ts'
import { readChange } from './verdict.ts'

export class Watcher {
  readonly #client: EtcdClient
  readonly #layout: Layout
  readonly #feed: Feed
  /** All changes up to this cluster revision have been announced. */
  #seen = 0
  #watch: { end(): void } | undefined
  #stopped = false
  #failures = 0

  constructor(client: EtcdClient, layout: Layout, feed: Feed) {
    this.#client = client
    this.#layout = layout
    this.#feed = feed
  }

  /** Resolves once every later commit is certain to be announced. @throws ClusterUnavailable, EtcdError */
  async start(): Promise<void> {
    await this.#catchUp()
    void this.#follow()
  }

  stop(): void {
    this.#stopped = true
    this.#watch?.end()
  }

  /** Announces that everything before the current revision may have changed. */
  async #catchUp(): Promise<void> {
    const { revision, cluster } = await readRevision(this.#client, this.#layout)
    this.#seen = cluster
    this.#feed.announce({ revision, keys: null })
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      try {
        if (await this.#watchOnce()) await this.#catchUp()
      } catch {
        // Ignore the error: callers that access the store get it themselves. The watch is started again after a pause.
        await sleep(pauseMs(Math.min(this.#failures++, 4)))
      }
    }
  }

  /** @returns Whether the cluster has compacted changes that this watcher has not received. */
  #watchOnce(): Promise<boolean> {
    const { verdicts } = this.#layout
    return new Promise<boolean>((resolve, reject) => {
      const end = (work: () => void): void => {
        this.#watch?.end()
        this.#watch = undefined
        work()
      }
      const onMessage = (message: Parameters<typeof readWatch>[0]): void => {
        const answer = readWatch(message)
        if (answer.compacted > 0) end(() => resolve(true))
        else if (answer.canceled !== undefined) end(() => reject(new Error(answer.canceled)))
        else this.#take(answer)
      }
      const onEnd = (error: Error): void => end(() => reject(error))
      this.#client.watch(verdicts, endOf(verdicts), this.#seen + 1, { onMessage, onEnd }).then(
        (watch) => {
          if (this.#stopped) watch.end()
          else this.#watch = watch
        },
        (error) => reject(error),
      )
    })
  }

  #take({ header, created, written }: WatchAnswer): void {
    if (created) return
    this.#failures = 0
    const changes: Change[] = []
    for (const one of written) {
      const change = readChange(one)
      if (change) changes.push(change)
    }
    changes.sort((a, b) => a.revision - b.revision)
    for (const change of changes) this.#feed.announce(change)
    // A message without changes reports the progress of the cluster: all changes up to its revision were delivered.
    const last = written.at(-1)?.modified ?? header.revision
    this.#seen = Math.max(this.#seen, last)
  }
}
