/** Expected values follow Go's `time.ParseDuration` and `Duration.String`. */
import { describe, expect, it } from 'vitest'
import { formatGoDuration, parseGoDuration, parseGoDurationOrSeconds, toWholeSeconds } from '../../src/core/base/go-duration.ts'
import fc from '../fixtures/fast-check.ts'

it.each([
  ['0s', '0s'],
  ['0', '0s'],
  ['0h0m', '0s'],
  ['1ns', '1ns'],
  ['1500ns', '1.5µs'],
  ['1us', '1µs'],
  ['1µs', '1µs'],
  ['1μs', '1µs'],
  ['2200us', '2.2ms'],
  ['999.999999ms', '999.999999ms'],
  ['1500ms', '1.5s'],
  ['1s', '1s'],
  ['60', '1m0s'],
  ['+60', '1m0s'],
  ['90s', '1m30s'],
  ['30m', '30m0s'],
  ['12h', '12h0m0s'],
  ['1.5h', '1h30m0s'],
  ['.5h', '30m0s'],
  ['1.h', '1h0m0s'],
  ['1h30m15s', '1h30m15s'],
  ['1h30m', '1h30m0s'],
  ['100h', '100h0m0s'],
  ['4.35h', '4h21m0s'],
  ['1m1ms', '1m0.001s'],
  ['5m0.3s', '5m0.3s'],
  ['1s1h', '1h0m1s'],
  ['2562047h47m16.854775807s', '2562047h47m16.854775807s'],
])('the duration %s is formatted as %s', (input, written) => {
  expect(formatGoDuration(parseGoDurationOrSeconds(input, 'lease'))).toBe(written)
})

it.each([
  '',
  ' ',
  '1d',
  '1w',
  '-1h',
  '-1',
  '1.5',
  '1e3',
  ' 60',
  '60 ',
  '1 h',
  'h',
  '.h',
  '1,5h',
  '1H',
  'soon',
  '1h\0',
  '0x10',
  '2562047h47m16.854775808s',
  '99999999999h',
  '9223372037',
  `${'9'.repeat(70_000)}`,
  `${'1h'.repeat(35_000)}`,
  `${'1.'.repeat(35_000)}h`,
])('parseGoDurationOrSeconds refuses %j', (text) => {
  expect(() => parseGoDurationOrSeconds(text, 'lease')).toThrow(
    expect.objectContaining({ status: 400, message: expect.stringMatching(/^lease: /) }),
  )
})

describe('parseGoDuration', () => {
  it.each<[string | number | bigint, bigint]>([
    ['0', 0n],
    ['-0', 0n],
    ['0s', 0n],
    ['+1ns', 1n],
    ['-1s', -1_000_000_000n],
    ['1h30m', 5_400_000_000_000n],
    ['-1.5ms', -1_500_000n],
    ['.5us', 500n],
    ['1.9ns', 1n],
    [0, 0n],
    [-0, 0n],
    [300_000_000_000, 300_000_000_000n],
    [-1, -1n],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
    ['9223372036854775807ns', 2n ** 63n - 1n],
  ])('reads %s as %s nanoseconds', (value, nanoseconds) => {
    expect(parseGoDuration(value, 'ttl')).toBe(nanoseconds)
  })

  it.each([
    '',
    ' ',
    '5',
    '-',
    '+',
    '--1s',
    '-+1s',
    '+-1s',
    '1',
    '1d',
    '1 s',
    's',
    '.s',
    '1s2',
    0.5,
    NaN,
    Infinity,
    1e300,
    2n ** 63n,
    '9223372036854775808ns',
    '3000000h',
    `${'1'.repeat(200)}s`,
    null,
    undefined,
    true,
    {},
    ['1s'],
  ])('refuses %s', (value) => {
    expect(() => parseGoDuration(value, 'ttl')).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringMatching(/^ttl: /) }),
    )
  })
})

describe('Go durations', () => {
  it('are unchanged after they are formatted and parsed', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (nanoseconds) => {
        expect(parseGoDuration(formatGoDuration(nanoseconds), 'lease')).toBe(nanoseconds)
        expect(parseGoDuration(formatGoDuration(-nanoseconds), 'lease')).toBe(-nanoseconds)
        expect(parseGoDurationOrSeconds(formatGoDuration(nanoseconds), 'lease')).toBe(nanoseconds)
      }),
    )
  })

  it('are rounded to whole seconds, but to 0 only if they are 0', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 13n }), (nanoseconds) => {
        const seconds = toWholeSeconds(nanoseconds)
        expect(seconds === 0).toBe(nanoseconds === 0n)
        expect(Math.abs(seconds - Number(nanoseconds) / 1e9)).toBeLessThan(1)
      }),
    )
  })
})
