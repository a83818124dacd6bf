import { expect, it } from 'vitest'
import { fitsAny } from '../../../src/core/base/glob.ts'
import { referenceMs } from '../../fixtures/calibration.ts'

const LIST = [`${'a*'.repeat(50_000)}b`, `${'*a'.repeat(50_000)}`, ...Array<string>(9_000).fill('*a*a*a*b')]

it.each([
  ['a name of 253 characters and 9,002 patterns', 'a'.repeat(253), LIST, 100],
  ['1,000,000 characters and long patterns', 'a'.repeat(1_000_000), [`${'a*'.repeat(100_000)}b`, '*ab*ab*ab*'], 200],
] as const)('pattern matching takes linear time for %s', async (_, name, patterns, bound) => {
  expect(await referenceMs(() => fitsAny(name, patterns), bound)).toBeLessThan(bound)
})
