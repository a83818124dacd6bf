/**
 * Waiting for records that are not written yet.
 */
import type { Center } from '../center.ts'
import { headOf } from './hello.ts'

const MOST_WAIT_MS = 5000

export class News {
  readonly #center: Center
  /** Of all who wait: one listener at the signal for many secondaries. */
  readonly #stops = new Set<() => void>()

  constructor(center: Center) {
    this.#center = center
    center.host.env.closing.addEventListener('abort', () => {
      for (const stop of this.#stops) stop()
    })
  }

  /** Waits until there is a record behind an index, for a limited time. */
  async behind(index: number, ms: number): Promise<void> {
    const { host, membership } = this.#center
    const { clock, freshness, env } = host
    if (env.closing.aborted) return
    const over = new AbortController()
    const stop = (): void => over.abort()
    this.#stops.add(stop)
    let timeIsUp = false
    const late = clock.sleep(Math.min(ms, MOST_WAIT_MS), over.signal).then(stop, () => {})
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
