import { referenceMs } from '../fixtures/calibration.ts'
import { TIER } from '../tiers.ts'
import { type Ask, describeTexts, textOf } from './hard-texts.ts'

/** Short lengths as well, because a length limit refuses the longest before anything else reads them. */
const LENGTHS = TIER === 'soak' ? [1 << 12, 1 << 14, 1 << 15, 1 << 17, 1 << 20] : [1 << 12, 1 << 15]

/** Linear work takes four times as long for a text of four times the length, quadratic work sixteen times. */
const MAX_GROWTH = 8
/** Shorter times are noise. Quadratic work takes far longer at the greatest length. */
const NOTICEABLE_MS = 8

async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Repeats the measurement until it takes less than `enough`. */
const costOf = (ask: Ask, text: string, enough: number): Promise<number> => referenceMs(() => ask(text), enough)

describeTexts({
  each: TIER === 'soak' ? 1 : 3,
  check: async (ask, units) => {
    const texts = LENGTHS.flatMap((length) => units.map((unit) => ({ unit, length })))
    // Usually the texts of all lengths together take no noticeable time, so no calibration or comparison is needed.
    const together = await processorMs(async () => {
      for (const { unit, length } of texts) await ask(textOf(unit, length))
    })
    if (together < texts.length * NOTICEABLE_MS) return []
    const wrong: string[] = []
    for (const { unit, length } of texts) {
      const long = await costOf(ask, textOf(unit, length), NOTICEABLE_MS)
      if (long > NOTICEABLE_MS && long > MAX_GROWTH * (await costOf(ask, textOf(unit, length / 4), 0)))
        wrong.push(`${JSON.stringify(unit)}, ${length} characters`)
    }
    return wrong
  },
})
