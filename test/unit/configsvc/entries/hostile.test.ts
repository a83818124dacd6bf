/**
 * Entries that are slow to read or validate are processed in pieces. `../pieces.measured.slow.test.ts` measures how long one piece takes.
 */
import { describe, expect, it } from 'vitest'
import { drive } from '../driven.ts'
import { parsed, REFUSED_ENTRIES, readAndValidate, SLOW_ENTRIES } from './slow-entries.ts'

describe('an entry that is slow to process', () => {
  it.each(SLOW_ENTRIES)('is accepted, after yielding to the event loop often: %s, at least %d times', (_, least, make) => {
    const { pieces, refused } = drive(readAndValidate(parsed(make())))
    expect(refused).toBe(false)
    expect(pieces).toBeGreaterThanOrEqual(least)
  })

  it.each(REFUSED_ENTRIES)('is refused, after yielding to the event loop often: %s, at least %d times', (_, least, make) => {
    const { pieces, refused } = drive(readAndValidate(parsed(make())))
    expect(refused).toBe(true)
    expect(pieces).toBeGreaterThanOrEqual(least)
  })
})
