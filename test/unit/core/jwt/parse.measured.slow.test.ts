import { expect, it } from 'vitest'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { referenceMs } from '../../../fixtures/calibration.ts'
import { HARD_TOKENS } from './hard-tokens.ts'

/** Each token takes one or two milliseconds; superlinear work would take seconds. */
const MAX_MS = 50

it.each(HARD_TOKENS)(`parseJwt parses or refuses a token of the maximum length within ${MAX_MS} ms: %s`, async (_, text) => {
  const read = () => {
    try {
      return parseJwt(text)
    } catch {
      return undefined
    }
  }
  expect(await referenceMs(read, MAX_MS)).toBeLessThan(MAX_MS)
})
