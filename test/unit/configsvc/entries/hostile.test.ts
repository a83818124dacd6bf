/**
 * Entries made to be slow are read and judged in pieces. `../pieces.measured.slow.test.ts` measures how long a piece takes.
 */
import { describe, expect, it } from 'vitest'
import { drive } from '../driven.ts'
import { parsed, REFUSED_ENTRIES, readAndJudge, SLOW_ENTRIES } from './slow-entries.ts'

describe('entries made to be slow', () => {
  it.each(SLOW_ENTRIES)('are accepted in pieces: %s, in %d at least', (_, least, make) => {
    const { pieces, refused } = drive(readAndJudge(parsed(make())))
    expect(refused).toBe(false)
    expect(pieces).toBeGreaterThanOrEqual(least)
  })

  it.each(REFUSED_ENTRIES)('are refused: %s, in pieces: %d at least', (_, least, make) => {
    const { pieces, refused } = drive(readAndJudge(parsed(make())))
    expect(refused).toBe(true)
    expect(pieces).toBeGreaterThanOrEqual(least)
  })
})
