/** The duration of slices while a long JSON text or a large value is read. The quick tier counts how much each slice reads. */
import { describe, expect, it } from 'vitest'
import type { Steps } from '../../../src/core/base/steps.ts'
import { snapshotJson } from '../../../src/core/exchange/snapshot.ts'
import { parseJson } from '../../../src/core/json/json.ts'
import { inReferenceMs, lowest } from '../../fixtures/calibration.ts'
import { runs } from '../../fixtures/runs.ts'
import { FEW_VALUES, LARGE_VALUES, MANY_VALUES } from './long-values.ts'

const LENGTH = runs({ quick: 4, soak: 32 }) * 1_048_576

/** Returns the processor time of each slice in reference milliseconds, ascending. An error ends the last slice. */
async function sliceTimes(steps: Steps<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  const total = () => times.reduce((sum, ms) => sum + ms, 0)
  const referenceTotal = await inReferenceMs(() => {
    for (let done = false; !done; ) {
      const start = process.cpuUsage()
      try {
        done = steps.next().done === true
      } catch {
        done = true
      }
      times.push(process.cpuUsage(start).user / 1000)
    }
    return total()
  })
  const factor = referenceTotal / Math.max(total(), 1e-9)
  return times.map((ms) => ms * factor).sort((a, b) => a - b)
}

/**
 * The JavaScript engine copies the table of an array or object with millions of members when it grows, and such a slice cannot be divided.
 * Therefore `worst` is generous, and 95 of 100 slices must be below 50 ms.
 */
async function expectShort(steps: () => Steps<unknown>, worst: number): Promise<void> {
  let usual = Number.POSITIVE_INFINITY
  const longest = await lowest(async () => {
    const times = await sliceTimes(steps())
    usual = Math.min(usual, times[Math.floor(times.length * 0.95)] as number)
    return times.at(-1) as number
  }, worst)
  expect(usual).toBeLessThan(50)
  expect(longest).toBeLessThan(worst)
}

describe('each slice of parsing a very long JSON text', () => {
  it.each(FEW_VALUES)('is within the time limit for %s', async (_, make) => {
    const input = make(LENGTH)
    await expectShort(() => parseJson(input), runs({ quick: 100, soak: 200 }))
  })

  it.each(MANY_VALUES)('is within the time limit for many values: %s', async (_, make) => {
    const input = make(LENGTH)
    await expectShort(() => parseJson(input), runs({ quick: 1000, soak: 3000 }))
  })
})

describe('each slice of copying a large value', () => {
  it.each(LARGE_VALUES)('is within the time limit for %s', async (_, make) => {
    const input = make(LENGTH)
    await expectShort(() => snapshotJson(input, LENGTH), runs({ quick: 1000, soak: 3000 }))
  })
})
