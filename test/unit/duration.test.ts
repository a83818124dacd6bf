import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../src/core/base/duration.ts'
import { KernelError } from '../../src/core/base/errors.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

const RUNS = runs({ quick: 500, soak: 10_000 })

describe('parseDuration', () => {
  it.each<[string | number, number]>([
    [0, 0],
    [-0, 0],
    [3600, 3600],
    [9_223_372_036, 9_223_372_036],
    ['9223372036.999s', 9_223_372_036],
    ['', 0],
    ['0', 0],
    ['0090', 90],
    ['+30', 30],
    ['90s', 90],
    ['1h30m', 5400],
    ['1.5h', 5400],
    ['4.35h', 15_660],
    ['.5m', 30],
    ['1.h', 3600],
    ['100ms', 0],
    ['1500ms', 1],
    ['1h1h', 7200],
    ['999ms1ms', 1],
    ['1000000us', 1],
    ['1000000µs', 1],
    ['1000000μs', 1],
    ['1000000000ns', 1],
    ['0.9999999999s', 0],
    ['30d', 2_592_000],
  ])('reads %j as %i seconds', (value, seconds) => expect(parseDuration(value, 'ttl')).toBe(seconds))

  it.each<[string | number, RegExp]>([
    [1.5, /whole seconds/],
    [Number.NaN, /whole seconds/],
    [Number.POSITIVE_INFINITY, /whole seconds/],
    [-1, /negative/],
    ['-1', /negative/],
    ['-1h', /negative/],
    ['-3d', /negative/],
    [9_223_372_037, /at most 9223372036 seconds/],
    [2 ** 53, /at most/],
    ['9007199254740992', /at most/],
    ['9007199254740992s', /at most/],
    ['999999999999999d', /at most/],
    ['9'.repeat(100), /at most/],
    ['7200.5', /a duration is/],
    ['1w', /a duration is/],
    ['1d12h', /a duration is/],
    ['12h1d', /a duration is/],
    ['1.5d', /a duration is/],
    ['1 h', /a duration is/],
    [' 1h', /a duration is/],
    ['1h\n', /a duration is/],
    ['2H', /a duration is/],
    ['h', /a duration is/],
    ['.h', /a duration is/],
    ['.', /a duration is/],
    ['1h-30m', /a duration is/],
    ['-', /a duration is/],
    ['1e3', /a duration is/],
    ['0x10', /a duration is/],
    ['1_000', /a duration is/],
    ['٣', /a duration is/],
    ['9'.repeat(1_000_000), /a duration is/],
    [`${'1h'.repeat(500_000)}x`, /a duration is/],
  ])('refuses %.30j', (value, message) => {
    expect(() => parseDuration(value, 'default_lease_ttl')).toThrow(message)
    try {
      parseDuration(value, 'default_lease_ttl')
    } catch (error) {
      expect(error).toBeInstanceOf(KernelError)
      expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/^default_lease_ttl: /) })
    }
  })

  it('adds up hours, minutes and seconds', () => {
    const part = fc.nat({ max: 100_000 })
    fc.assert(
      fc.property(part, part, part, fc.nat({ max: 999 }), (h, m, s, ms) => {
        expect(parseDuration(`${h}h${m}m${s}s${ms}ms`, 'x')).toBe(h * 3600 + m * 60 + s)
      }),
      { numRuns: RUNS },
    )
  })

  it('reads decimal fractions exactly', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 10_000_000 }),
        fc.constantFrom<[string, number]>(['s', 1], ['m', 60], ['h', 3600]),
        (n, [unit, scale]) => {
          const text = `${Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}${unit}`
          expect(parseDuration(text, 'x')).toBe(Math.floor((n * scale) / 100))
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('returns a whole number or throws for any text', () => {
    const text = fc.array(fc.constantFrom(...'0123456789.hmsdunµ-+ wH'), { maxLength: 8 }).map((letters) => letters.join(''))
    fc.assert(
      fc.property(text, (value) => {
        try {
          const seconds = parseDuration(value, 'x')
          expect(Number.isSafeInteger(seconds) && seconds >= 0).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(KernelError)
        }
      }),
      { numRuns: RUNS },
    )
  })
})
