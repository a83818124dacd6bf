import { expect } from 'vitest'
import type { Steps } from '../../../src/core/base/steps.ts'
import { runs } from '../../fixtures/runs.ts'

/** Runs steps that never wait. Returns the result and the number of yields. */
export function measured<T>(steps: Steps<T>): { readonly value: T; readonly yields: number } {
  for (let yields = 0; ; yields++) {
    const step = steps.next()
    if (step.done) return { value: step.value, yields }
    if (step.value) throw new TypeError('these steps wait for something')
  }
}

/** Runs any steps. Returns the result and the number of yields. */
export async function counted<T>(steps: Steps<T>): Promise<{ readonly value: T; readonly yields: number }> {
  for (let yields = 0; ; yields++) {
    const step = steps.next()
    if (step.done) return { value: step.value, yields }
    await step.value
  }
}

export const driven = async <T>(steps: Steps<T>): Promise<T> => (await counted(steps)).value

/** Compares bytes faster than `toEqual`, which compares each byte as a property. */
export function expectBytes(actual: Uint8Array | undefined, expected: Uint8Array): void {
  if (!actual || Buffer.compare(actual, expected) !== 0) expect(actual).toEqual(expected)
}

/** Reproducible pseudorandom bytes. */
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

export const RUNS = runs({ quick: 20, slow: 60, soak: 2_000 })
