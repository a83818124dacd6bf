import { describe, expect, it } from 'vitest'
import { ReplayWindow } from '../../../src/sys/replication/channel/replay-window.ts'
import fc from '../../fixtures/fast-check.ts'

const WINDOW = 1_024

/** A window that remembers all counters. */
class NaiveWindow {
  readonly #used = new Set<number>()

  isFree(counter: number): boolean {
    return !this.#used.has(counter) && counter > Math.max(-1, ...this.#used) - WINDOW
  }

  take(counter: number): boolean {
    const free = this.isFree(counter)
    if (free) this.#used.add(counter)
    return free
  }
}

/** Steps from the highest counter so far, up and down, around the boundaries of words and of the window. */
const moves = fc.array(
  fc.oneof(
    fc.integer({ min: -40, max: 40 }),
    fc.integer({ min: -WINDOW - 3, max: WINDOW + 3 }),
    fc.constantFrom(-WINDOW - 1, -WINDOW, 1 - WINDOW, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW, 31, 32, 33, 0, 1),
  ),
  { maxLength: 120 },
)

describe('the replay window', () => {
  it('accepts the same counters as a naive window that remembers every counter', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), moves, (first, steps) => {
        const window = new ReplayWindow()
        const naive = new NaiveWindow()
        let highest = first
        for (const step of [0, ...steps]) {
          const counter = Math.max(0, highest + step)
          highest = Math.max(highest, counter)
          expect(window.isFree(counter)).toBe(naive.isFree(counter))
          expect(window.take(counter)).toBe(naive.take(counter))
          expect(window.isFree(counter)).toBe(false)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('accepts the 1,023 counters below the highest counter, and no lower ones', () => {
    const window = new ReplayWindow()
    window.take(5_000)
    expect(window.take(5_000 - WINDOW)).toBe(false)
    for (let counter = 5_001 - WINDOW; counter < 5_000; counter++) expect(window.take(counter)).toBe(true)
    for (let counter = 5_001 - WINDOW; counter <= 5_000; counter++) expect(window.take(counter)).toBe(false)
  })
})
