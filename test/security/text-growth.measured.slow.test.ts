import { referenceMs } from '../fixtures/calibration.ts'
import { TIER } from '../tiers.ts'
import { type Ask, describeTexts, textOf } from './hard-texts.ts'

/** Short ones as well: a length limit refuses the longest before anything else reads them. */
const LENGTHS = TIER === 'soak' ? [1 << 12, 1 << 14, 1 << 15, 1 << 17, 1 << 20] : [1 << 12, 1 << 15]

/** A text four times as long takes four times as long; work that grows with the square of the length takes sixteen times as long. */
const MAX_GROWTH = 8
/** Costs below this are noise. Work that grows with the square of the length is far above it at the longest. */
const NOTICEABLE_MS = 8

async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Tries end at the first that costs less than `enough`. */
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
