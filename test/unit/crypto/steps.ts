/**
 * Running of steps in tests. Room: test/unit/crypto.
 */
import type { Steps } from '../../../src/core/crypto/backend.ts'

/** The result, how often the steps gave way, and the longest time between two yields in milliseconds. */
export function measured<T>(steps: Steps<T>): { readonly value: T; readonly yields: number; readonly longest: number } {
  let longest = 0
  for (let yields = 0; ; yields++) {
    const start = performance.now()
    const step = steps.next()
    longest = Math.max(longest, performance.now() - start)
    if (step.done) return { value: step.value, yields, longest }
  }
}

/** Reproducible bytes that look random; large ones are too slow to draw one by one. */
export function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let x = seed | 1
  for (let i = 0; i < length; i++) {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    bytes[i] = x
  }
  return bytes
}

export const RUNS = process.env['SLOW'] ? 2_000 : 60
