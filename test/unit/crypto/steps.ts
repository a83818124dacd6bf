/**
 * Running of steps in tests. Room: test/unit/crypto.
 */
import type { Steps } from '../../../src/core/base/steps.ts'

/** The result and how often the steps gave way. */
export function measured<T>(steps: Steps<T>): { readonly value: T; readonly yields: number } {
  for (let yields = 0; ; yields++) {
    const step = steps.next()
    if (step.done) return { value: step.value, yields }
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
