/** Each slice of a long JSON text or a large value reads a limited amount. The slow tier measures the duration. */
import { describe, expect, it } from 'vitest'
import { SLICE_BYTES, type Steps } from '../../../src/core/base/steps.ts'
import { snapshotJson } from '../../../src/core/exchange/snapshot.ts'
import { parseJson } from '../../../src/core/json/json.ts'
import { BODY_LIMITS } from '../../../src/core/json/json-cursor.ts'
import { FEW_VALUES, LARGE_VALUES, MANY_VALUES } from './long-values.ts'

const MIB = 1_048_576

/** Runs the steps to their end or first error. @returns The number of slices and the error message, if any. */
function run(steps: Steps<unknown>): { readonly slices: number; readonly refusal?: string } {
  for (let slices = 1; ; slices++) {
    try {
      if (steps.next().done) return { slices }
    } catch (error) {
      return { slices, refusal: (error as Error).message }
    }
  }
}

/** The maximum number of bytes between two progress reports, which the reader makes at every pause between values. */
function mostBytes(bytes: Uint8Array): number {
  let [most, before] = [0, 0]
  run(
    parseJson(bytes, BODY_LIMITS, (_, read) => {
      most = Math.max(most, read - before)
      before = read
    }),
  )
  return most
}

/** These texts are refused near their beginning. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'opening brackets': /at byte 10000$/,
  'one number': /at byte 0$/,
  'one fraction': /at byte 0$/,
}

describe('on average, a slice of parseJson for a text of 1 MiB', () => {
  it.each(FEW_VALUES)('reads at most 64 KiB of %s', (name, make) => {
    const bytes = make(MIB)
    const { slices, refusal } = run(parseJson(bytes))
    if (REFUSED[name]) expect(refusal).toMatch(REFUSED[name])
    // All of these texts are uniform, so the average per slice is meaningful.
    else expect(bytes.length / slices).toBeLessThanOrEqual(SLICE_BYTES / 2)
  })
})

describe('a slice of parseJson for a text of many values', () => {
  it.each(MANY_VALUES)('reads at most 32 KiB of %s', (_, make) => {
    const bytes = make(MIB)
    const most = mostBytes(bytes)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(SLICE_BYTES / 4)
  })
})

describe('snapshotJson of a large value', () => {
  it.each(LARGE_VALUES)('copies %s in more than 40 slices', (_, make) => {
    expect(run(snapshotJson(make(MIB), MIB)).slices).toBeGreaterThan(40)
  })
})
