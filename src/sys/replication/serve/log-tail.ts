/** Lets requests wait for new log records. */
import type { ReplicationContext } from '../replication-context.ts'
import { headOf } from './hello.ts'

const MAX_WAIT_MS = 5000

export class LogTail {
  readonly #context: ReplicationContext
  /** One entry per waiting request; a single listener on the closing signal serves all of them. */
  readonly #stops = new Set<() => void>()

  constructor(context: ReplicationContext) {
    this.#context = context
    context.host.env.closing.addEventListener('abort', () => {
      for (const stop of this.#stops) stop()
    })
  }

  /** Waits for a record after an index, up to a time limit. */
  async waitAfter(index: number, ms: number): Promise<void> {
    const { host, membership } = this.#context
    const { clock, freshness, env } = host
    if (env.closing.aborted) return
    const over = new AbortController()
    const stop = (): void => over.abort()
    this.#stops.add(stop)
    let timeIsUp = false
    const late = clock.sleep(Math.min(ms, MAX_WAIT_MS), over.signal).then(stop, () => {})
    void late.finally(() => {
      timeIsUp = true
    })
    try {
      while (!timeIsUp) {
        const { relation } = await membership.member()
        if ((await headOf(host, relation.history)) > index) return
        await Promise.race([freshness.reached(freshness.latest + 1, over.signal), late])
      }
    } finally {
      this.#stops.delete(stop)
      over.abort()
    }
  }
}
