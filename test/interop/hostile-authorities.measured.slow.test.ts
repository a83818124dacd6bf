import { describe, expect, it } from 'vitest'
import { referenceMs } from '../fixtures/calibration.ts'
import { HOSTILE, refusal } from './hostile-authorities.ts'

const MAX_MS = 50

describe('a malformed certificate authority for database users', () => {
  it.each(HOSTILE)('is refused within 50 ms: %s', async (_, config) => {
    expect(await referenceMs(() => refusal(config), MAX_MS)).toBeLessThan(MAX_MS)
  })
})
