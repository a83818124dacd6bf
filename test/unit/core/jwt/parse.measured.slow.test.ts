/** How long it takes to read or refuse a token. */
import { expect, it } from 'vitest'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { referenceMs } from '../../../fixtures/calibration.ts'
import { HARD_TOKENS } from './hard-tokens.ts'

/** Each takes a millisecond or two; work that grows faster than the text takes seconds. */
const MAX_MS = 50

it.each(HARD_TOKENS)(`parses or refuses a token of the maximum length within ${MAX_MS} ms: %s`, async (_, text) => {
  const read = () => {
    try {
      return parseJwt(text)
    } catch {
      return undefined
    }
  }
  expect(await referenceMs(read, MAX_MS)).toBeLessThan(MAX_MS)
})
