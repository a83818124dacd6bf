/** Expressions, patterns and templates take at most 50 ms, and their time grows linearly with their length. */
import { describe, expect, it } from 'vitest'
import { checkExpression, matches, parseExpression } from '../../../../src/configsvc/expression/index.ts'
import { inReferenceMs, lowest } from '../../../fixtures/calibration.ts'
import {
  filled,
  isEvaluated,
  LONG_EXPRESSIONS,
  LONG_TEMPLATES,
  longestOf,
  MAX_EXPRESSION_LENGTH,
  MAX_TEMPLATE_LENGTH,
} from './evaluated.ts'
import { asExpression, HARMFUL_DATA, HARMFUL_PATTERNS, letters, MANY_PATTERNS, outcomeOf, SHAPE } from './harmful.ts'

const MAX_MS = 50

/** Processor time in milliseconds. */
function timeOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Fails if the work takes too long at each of several tries. A try below the bound needs no calibration. */
async function expectShort(work: () => unknown): Promise<void> {
  const measure = () => timeOf(work)
  const first = measure()
  const best = first < MAX_MS ? first : await lowest(() => inReferenceMs(measure), MAX_MS)
  expect(best).toBeLessThan(MAX_MS)
}

it.each(HARMFUL_PATTERNS)('an expression with a hostile pattern takes at most 50 ms: %s', async (_what, pattern, value) => {
  await expectShort(() => outcomeOf(asExpression(pattern), { value: { a: value } }))
})

it('an expression with many patterns takes at most 50 ms', async () => {
  await expectShort(() => outcomeOf(MANY_PATTERNS, { value: { a: letters(60) } }))
})

it('one compiled pattern takes at most 50 ms for each of 200 different strings', async () => {
  const checked = checkExpression(parseExpression(asExpression('[ab]*a[ab]{100}c')), SHAPE)
  for (let i = 0; i < 200; i++) await expectShort(() => matches(checked, { value: { a: `c${letters(300 + i)}` } }))
})

it.each(HARMFUL_DATA)('an expression on hostile data takes at most 50 ms: %s', async (_what, expression, make) => {
  const datum = make()
  await expectShort(() => outcomeOf(expression, datum))
})

describe('evaluation time grows at most linearly with the length', () => {
  const TRIES = 40

  /** The best of several alternating tries, so that other load on the machine slows both. */
  function growth(half: string, whole: string, work: (text: string) => unknown): number {
    let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let tries = 0; tries < TRIES && (tries < 5 || long / short >= 4); tries++) {
      short = Math.min(
        short,
        timeOf(() => work(half)),
      )
      long = Math.min(
        long,
        timeOf(() => work(whole)),
      )
    }
    // A time near the resolution of the clock is noise.
    return long < 0.5 ? 1 : long / short
  }

  it.each(LONG_EXPRESSIONS)('for an expression of %s', async (_what, textOf) => {
    const { text, times } = longestOf(textOf, MAX_EXPRESSION_LENGTH)
    await expectShort(() => isEvaluated(text))
    expect(growth(textOf(times >> 1), text, isEvaluated)).toBeLessThan(4)
  })

  it.each(LONG_TEMPLATES)('for a template of %s', async (_what, textOf) => {
    const { text, times } = longestOf(textOf, MAX_TEMPLATE_LENGTH)
    await expectShort(() => filled(text))
    expect(growth(textOf(times >> 1), text, filled)).toBeLessThan(4)
  })
})
