/** How long the slices of a long JSON text or a large value take. The quick tier counts what they read. */
import { describe, expect, it } from 'vitest'
import type { Steps } from '../../../src/core/base/steps.ts'
import { snapshotJson } from '../../../src/core/exchange/snapshot.ts'
import { parseJson } from '../../../src/core/json/json.ts'
import { inReferenceMs, lowest } from '../../fixtures/calibration.ts'
import { runs } from '../../fixtures/runs.ts'
import { FEW_VALUES, LARGE_VALUES, MANY_VALUES } from './long-values.ts'

const LENGTH = runs({ quick: 4, soak: 32 }) * 1_048_576

/** Reference milliseconds of the processor that every slice takes, ascending. A refusal ends the last one. */
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
 * A few slices may be the engine's own, which cannot be divided: it copies the table of an array or object of millions of members when
 * that grows. Therefore `worst` is generous, and 95 of 100 slices are below 50 ms.
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

describe('parsing a very long JSON text in short slices', () => {
  it.each(FEW_VALUES)('stays within the time limit for %s', async (_, make) => {
    const input = make(LENGTH)
    await expectShort(() => parseJson(input), runs({ quick: 100, soak: 200 }))
  })

  it.each(MANY_VALUES)('stays within the time limit for many values: %s', async (_, make) => {
    const input = make(LENGTH)
    await expectShort(() => parseJson(input), runs({ quick: 1000, soak: 3000 }))
  })
})

describe('copying a large value in short slices', () => {
  it.each(LARGE_VALUES)('stays within the time limit for %s', async (_, make) => {
    const input = make(LENGTH)
    await expectShort(() => snapshotJson(input, LENGTH), runs({ quick: 1000, soak: 3000 }))
  })
})
