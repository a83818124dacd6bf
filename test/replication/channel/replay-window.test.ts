import { describe, expect, it } from 'vitest'
import { ReplayWindow } from '../../../src/sys/replication/channel/replay-window.ts'
import fc from '../../fixtures/fast-check.ts'

const WINDOW = 16_384

/** A window that remembers all nonces. */
class NaiveWindow {
  readonly #used = new Set<number>()
  #highest = -1

  areFree(first: number, count: number): boolean {
    for (let nonce = first; nonce < first + count; nonce++) if (this.#used.has(nonce)) return false
    return first > this.#highest - WINDOW
  }

  take(first: number, count: number): boolean {
    const free = this.areFree(first, count)
    for (let nonce = first; free && nonce < first + count; nonce++) {
      this.#used.add(nonce)
      this.#highest = Math.max(this.#highest, nonce)
    }
    return free
  }
}

/** Steps from the highest nonce so far, up and down, around the boundaries of words and of the window. */
const moves = fc.array(
  fc.tuple(
    fc.oneof(
      fc.integer({ min: -40, max: 40 }),
      fc.integer({ min: -WINDOW - 3, max: WINDOW + 3 }),
      fc.constantFrom(-WINDOW - 1, -WINDOW, 1 - WINDOW, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW, 31, 32, 33, 0, 1),
    ),
    fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 129 })),
  ),
  { maxLength: 120 },
)

describe('the replay window', () => {
  it('accepts the same nonces as a naive window that remembers every nonce', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70_000 }), moves, (start, steps) => {
        const window = new ReplayWindow()
        const naive = new NaiveWindow()
        let highest = start
        for (const [step, count] of [[0, 1] as const, ...steps]) {
          const first = Math.max(0, highest + step)
          highest = Math.max(highest, first + count - 1)
          expect(window.areFree(first, count)).toBe(naive.areFree(first, count))
          expect(window.take(first, count)).toBe(naive.take(first, count))
          expect(window.areFree(first, count)).toBe(false)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('accepts the 16,383 nonces below the highest nonce, and no lower ones', () => {
    const window = new ReplayWindow()
    window.take(50_000, 1)
    expect(window.take(50_000 - WINDOW, 1)).toBe(false)
    const nonces = Array.from({ length: WINDOW - 1 }, (_, at) => 50_001 - WINDOW + at)
    expect(nonces.every((nonce) => window.take(nonce, 1))).toBe(true)
    expect(nonces.some((nonce) => window.take(nonce, 1))).toBe(false)
  })
})
