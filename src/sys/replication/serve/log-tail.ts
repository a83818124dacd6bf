/** Lets fetch requests of secondaries wait until the log has new records. */
import type { ReplicationContext } from '../replication-context.ts'
import { headOf } from './hello.ts'

const MAX_WAIT_MS = 5000

export class LogTail {
  readonly #context: ReplicationContext
  /** For each waiting request, the function that ends its wait. When the kernel closes, a single listener calls all of these functions. */
  readonly #stops = new Set<() => void>()

  constructor(context: ReplicationContext) {
    this.#context = context
    context.host.env.closing.addEventListener('abort', () => {
      for (const stop of this.#stops) stop()
    })
  }

  /** Waits until the log contains a record after `index`, but at most `ms` milliseconds, and never longer than `MAX_WAIT_MS`. */
  async waitAfter(index: number, ms: number): Promise<void> {
    const { host, membership } = this.#context
    const { clock, freshness, env } = host
    if (env.closing.aborted) return
    const controller = new AbortController()
    const stop = (): void => controller.abort()
    this.#stops.add(stop)
    let timedOut = false
    const timeout = clock.sleep(Math.min(ms, MAX_WAIT_MS), controller.signal).then(stop, () => {})
    void timeout.finally(() => {
      timedOut = true
    })
    try {
      while (!timedOut) {
        const { relation } = await membership.member()
        if ((await headOf(host, relation.history)) > index) return
        await Promise.race([freshness.waitForRevision(freshness.latest + 1, controller.signal), timeout])
      }
    } finally {
      this.#stops.delete(stop)
      controller.abort()
    }
  }
}
