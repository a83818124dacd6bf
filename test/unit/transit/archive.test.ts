import { describe, expect, it } from 'vitest'
import { parseRfc3339, rfc3339 } from '../../../src/core/base/clock.ts'
import { ArchiveMembers } from '../../../src/engines/transit/archive/archive-members.ts'
import { bigOf, parseBigJson, printBigJson } from '../../../src/engines/transit/archive/big-json.ts'
import fc from '../../fixtures/fast-check.ts'

function read(text: string): unknown {
  const steps = parseBigJson(new TextEncoder().encode(text), 'text')
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const REFUSAL = expect.objectContaining({ status: 400 })

describe('parseBigJson', () => {
  it('returns the integers and texts that printBigJson wrote', () => {
    const value = fc.oneof(
      fc.bigInt({ min: -(10n ** 400n), max: 10n ** 400n }),
      fc.integer().map(BigInt),
      fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }),
    )
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '1', '9', '{', '[', ',', ':', ' ', 'é', '\u0000', '\n') })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, value), { maxLength: 8 }), (pairs) => {
        const printed = printBigJson({ pairs: pairs.map(([words, number]) => ({ [`k${words}`]: number, words })) })
        const found = read(printed) as { pairs: Record<string, unknown>[] }
        for (const [index, [words, number]] of pairs.entries()) {
          expect(bigOf(found.pairs[index]![`k${words}`])).toBe(number)
          expect(found.pairs[index]!['words']).toBe(words)
        }
      }),
    )
  })

  it('returns the same as JSON.parse for texts without large numbers', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const found = read(text) ?? null
        if (!/\d{16}/.test(text) && !text.includes('\\u0000')) expect(found).toEqual(JSON.parse(text))
      }),
    )
  })

  it.each(['1', '-1', '123456789012345', '1234567890123456', '-98765432109876543210987654321098765432109876543210'])(
    'keeps all digits of %s',
    (digits) => {
      expect(bigOf(read(digits))).toBe(BigInt(digits))
      expect(bigOf((read(`{"a":[${digits}]}`) as { a: unknown[] }).a[0])).toBe(BigInt(digits))
    },
  )

  it.each([
    '1.5',
    '1e300',
    '1234567890123456789.5',
    '12345678901234567890e5',
    '0.1234567890123456789',
    '"12345678901234567890"',
    'true',
    'null',
    '{}',
    '[]',
  ])('finds no whole number in %s', (text) => {
    expect(bigOf(read(text))).toBeUndefined()
  })

  it.each(['{', '[1,]', '01', '"\n"', "{'a':1}", '{"a":1}}', '-', '--12345678901234567890'])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(REFUSAL)
  })
})

describe('ArchiveMembers', () => {
  it('returns members by name in any letter case, preferring the exact name, and treats null as missing', () => {
    const members = new ArchiveMembers({ KEY: 'upper', Name: null, name: 'exact', NAME: 'loud', __proto__x: 1 }, 'it')
    expect([members.text('key'), members.text('name'), members.text('other')]).toEqual(['upper', 'exact', ''])
    const planted = new ArchiveMembers(JSON.parse('{"__proto__":{"name":"planted"},"constructor":1}'), 'it')
    expect([planted.text('name'), planted.has('toString')]).toEqual(['', false])
  })

  it('refuses members of another type', () => {
    const members = new ArchiveMembers({ a: 1, b: 'x', c: [], d: {}, e: true }, 'it')
    for (const wrong of [
      () => members.text('a'),
      () => members.flag('b'),
      () => members.int('b'),
      () => members.list('d'),
      () => members.object('c'),
      () => members.bytes('b'),
      () => members.time('b'),
    ])
      expect(wrong).toThrow(REFUSAL)
  })
})

describe('times in a key archive', () => {
  it('are parsed to the time from which they were written', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => parseRfc3339(rfc3339(ms)) === ms))
  })

  it.each([
    ['2026-11-21T09:44:14.889362493Z', '2026-11-21T09:44:14.889Z'],
    ['2017-12-08T11:50:08.613837-05:00', '2017-12-08T16:50:08.613Z'],
    ['2024-02-29T23:59:59+14:00', '2024-02-29T09:59:59.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
  ])('are converted to UTC with milliseconds: %s is %s', (text, shown) => {
    expect(rfc3339(parseRfc3339(text) as number)).toBe(shown)
  })

  it.each([
    '',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-01-01',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+24:00',
    'x',
  ])('must not be %j', (text) => {
    expect(parseRfc3339(text)).toBeUndefined()
  })
})
