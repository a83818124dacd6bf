import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { type JsonLimits, parseJson, parseJsonNow } from '../../../src/core/json/json.ts'
import { BODY_LIMITS } from '../../../src/core/json/json-cursor.ts'
import { readJson } from '../../../src/core/json/json-reader.ts'
import { memberNames, memberOf } from '../../../src/core/json/wide-object.ts'
import { anyCharacter } from '../../fixtures/any-character.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'

const RUNS = runs({ quick: 1000, soak: 20_000 })

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Parses in slices even if the text is short. */
function slowly(input: Uint8Array, limits?: JsonLimits): unknown {
  const steps = readJson(input, limits)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const outcome = (run: () => unknown): { value: unknown } | 'refused' => {
  try {
    return { value: run() }
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect((error as KernelError).status).toBe(400)
    expect((error as KernelError).message).toMatch(/^error parsing JSON: [a-zA-Z0-9 ,-]+ at byte \d+$/)
    return 'refused'
  }
}

/** `toWellFormed` exists since Node 20, but its type requires a later library. */
const wellFormed = (text: string): string => (text as unknown as { toWellFormed(): string }).toWellFormed()

/** JSON.parse with the differences of parseJson. The inputs contain no integers beyond 2^53. */
const native = (text: string): { value: unknown } | 'refused' => {
  try {
    return { value: corrected(JSON.parse(text)) }
  } catch {
    return 'refused'
  }
}

function corrected(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value)
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError('beyond a double')
  if (Array.isArray(value)) return value.map(corrected)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [wellFormed(name), corrected(member)]))
}

/** Parses with repeated names refused. */
const once = (text: string): unknown => slowly(bytes(text), { ...BODY_LIMITS, repeatedNames: false })

const refusal = (text: string | Uint8Array): string => {
  const input = typeof text === 'string' ? bytes(text) : text
  const messages = [parseJsonNow, slowly].map((parse) => {
    try {
      parse(input)
    } catch (error) {
      return (error as Error).message
    }
    return 'no refusal'
  })
  expect(messages[0]).toBe(messages[1])
  return messages[0] as string
}

const both = (text: string): unknown => {
  const fast = parseJsonNow(bytes(text))
  expect(slowly(bytes(text)) ?? undefined).toEqual(fast)
  return fast
}

describe('parseJson on valid input', () => {
  it('returns undefined for an empty text, white space or null', () => {
    for (const text of ['', ' ', '\n\t\r ', 'null', ' null ']) expect(both(text)).toBe(undefined)
  })

  it('returns bigints for integers beyond 2^53', () => {
    expect(both('[9007199254740991,9007199254740992,-9007199254740993,1e20,12345678901234567890.0]')).toEqual([
      9007199254740991,
      9007199254740992n,
      -9007199254740993n,
      1e20,
      12345678901234567000,
    ])
    expect(both(`{"n":${'9'.repeat(308)}}`)).toEqual({ n: BigInt('9'.repeat(308)) })
  })

  it('returns minus zero, small fractions and large exponents as JSON.parse does', () => {
    expect(Object.is((both('[-0]') as number[])[0], -0)).toBe(true)
    expect(both('[0.1,1e-400,1.7976931348623157e308,5e-324,1E+2,0e9999,-1.5e-3]')).toEqual([
      0.1, 0, 1.7976931348623157e308, 5e-324, 100, 0, -0.0015,
    ])
  })

  it('returns the last of several members with equal names, whose case is significant', () => {
    expect(both('{"a":1,"A":2,"a":{"b":3}}')).toEqual({ a: { b: 3 }, A: 2 })
  })

  it('returns a member called __proto__ as an ordinary member', () => {
    for (const parse of [parseJsonNow, slowly]) {
      const value = parse(bytes('{"__proto__":{"polluted":1},"x":2}')) as object
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(Object.keys(value)).toEqual(['__proto__', 'x'])
      expect('polluted' in value).toBe(false)
    }
  })

  it('replaces an escaped surrogate by U+FFFD unless it is part of a pair', () => {
    expect(both(String.raw`["\ud83d\ude00","\uD83D","\ude00","\ud83dx","\ud83d\u0041","\ud83d\ud83d\ude00","\ud83d\n"]`)).toEqual(
      ['😀', '\ufffd', '\ufffd', '\ufffdx', '\ufffdA', '\ufffd😀', '\ufffd\n'],
    )
    expect(both(String.raw`{"\ud83d":1,"\udc00":2}`)).toEqual({ '\ufffd': 2 })
  })

  it('reads every escape sequence and UTF-8 characters of every length', () => {
    expect(both(String.raw`"\"\\\/\b\f\n\r\t\u0000\u007f\u0080\u07ff\u0800\uffff é € 😀"`)).toBe(
      '"\\/\b\f\n\r\t\u0000\u007f\u0080\u07ff\u0800\uffff é € 😀',
    )
  })

  it('reads long strings, wherever the slices end within a character or an escape', () => {
    for (const unit of ['a', 'é', '€', '😀', '\\n', 'a\\u00e9', '\\ud83d\\ude00', 'ab"'.replace('"', '\\"')])
      for (const shift of [0, 1, 2, 3, 5, 7, 11]) {
        const text = `["${'-'.repeat(shift)}${unit.repeat(100_000)}"]`
        expect(slowly(bytes(text))).toEqual(JSON.parse(text))
      }
  })

  it('accepts 10,000 levels of nesting, but not more', () => {
    const nested = (levels: number) => bytes('[{"a":'.repeat(levels / 2) + '}]'.repeat(levels / 2))
    expect(refusal('['.repeat(10_001))).toBe('error parsing JSON: more than 10000 levels of nesting at byte 10000')
    let value = slowly(bytes('['.repeat(10_000) + ']'.repeat(10_000)))
    let depth = 0
    for (; Array.isArray(value); value = value[0]) depth++
    expect(depth).toBe(10_000)
    expect(outcome(() => parseJsonNow(nested(10_000)))).toBe('refused')
  })

  it('returns members in the order of JSON.parse, even thousands with numeric names', () => {
    const names = Array.from({ length: 16_000 }, (_, i) => (16_000 - i) * 7)
    const text = `{"first":0,${names.map((name) => `"${name}":${name}`).join()},"last":1,"4294967294":5}`
    expect(slowly(bytes(text))).toEqual(JSON.parse(text))
    expect(Object.keys(slowly(bytes('{"b":1,"a":[{}],"c":{"d":{}}}')) as object)).toEqual(['b', 'a', 'c'])
  })
})

describe('parseJson on objects with very many members', () => {
  it('returns a WideObject with every member, and the last of those with equal names', () => {
    const members = Array.from({ length: 50_000 }, (_, i) => `"m${i}":${i}`)
    const wide = slowly(bytes(`{${members.join()},"m7":"last"}`)) as object
    expect(memberOf(wide, 'm7')).toBe('last')
    expect(memberOf(wide, 'm0')).toBe(0)
    expect(memberOf(wide, 'm49999')).toBe(49_999)
    expect(memberOf(wide, 'toString')).toBeUndefined()
    expect(new Set(memberNames(wide)).size).toBe(50_000)
  })
})

describe('readJson with repeatedNames false', () => {
  it.each([
    ['{"a":1,"a":1}', '"a"'],
    ['{"a":1,"b":{},"a":', '"a"'],
    ['[{},{"x":{"a":[],"":0,"a":null}}]', '"a"'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
    ['{"a":1,"\\u0061":2}', '"\\u0061"'],
    ['{"7":1,"7":2}', '"7"'],
    // All lone surrogates become the same character.
    ['{"\\ud800":1,"\\udfff":2}', '"\\udfff"'],
  ])('refuses %s at the last %s', (text, name) => {
    const at = text.lastIndexOf(name)
    expect(() => once(text)).toThrow(`error parsing JSON: a repeated member name at byte ${at}`)
  })

  it('refuses a repeated name among 50,000 members', () => {
    const members = Array.from({ length: 50_000 }, (_, i) => `"m${i}":0`).join()
    expect([...memberNames(once(`{${members}}`) as object)]).toHaveLength(50_000)
    for (const name of ['m7', 'm49999']) expect(() => once(`{${members},"${name}":1}`)).toThrow(`at byte ${members.length + 2}`)
  })

  it('accepts inherited names such as toString, names that differ in case, and equal names in different objects', () => {
    for (const text of ['{"toString":1}', '{"a":1,"A":2}', '[{"a":1},{"a":{"a":1}}]', '{"\u00e9":1,"e\u0301":2}', '{}'])
      expect(once(text)).toEqual(JSON.parse(text))
    expect(memberOf(once('{"__proto__":2}') as object, '__proto__')).toBe(2)
  })
})

describe('parseJson on invalid input', () => {
  it.each([
    ['\ufeff{}', 0],
    ['NaN', 0],
    ['[1,]', 3],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['[01]', 1],
    ['[-01]', 1],
    ['[+1]', 1],
    ['[1.]', 3],
    ['[.5]', 1],
    ['[1e]', 3],
    ['[-]', 2],
    ['[1e400]', 1],
    ['[-1e400]', 1],
    ['{}{}', 2],
    ['{} x', 3],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{"a":1 "b":2}', 7],
    ['[tru]', 1],
    ['[nul', 1],
    ['"a\nb"', 2],
    ['"a', 2],
    ['"\\', 1],
    ['"\\x"', 1],
    ['"\\u12g4"', 1],
    ['"\\u12"', 1],
    ['[', 1],
    ['{', 1],
    ['[1', 2],
    ['{"a"', 4],
    ['{"a":', 5],
    [']', 0],
    ['[}', 1],
    ['{]', 1],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['\u00a0[]', 0],
    ['// c', 0],
    [`[${'9'.repeat(310)}]`, 1],
    [`[${'9'.repeat(1_000_000)}]`, 1],
    [`[0.${'0'.repeat(1_000_000)}1]`, 1],
  ])('refuses %.30s at byte %i', (text, at) => {
    expect(refusal(text)).toMatch(new RegExp(`^error parsing JSON: .* at byte ${at}$`))
  })

  it.each([
    [[0x22, 0x80, 0x22], 1],
    [[0x22, 0xc0, 0xaf, 0x22], 1],
    [[0x22, 0xe0, 0x80, 0x80, 0x22], 1],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    [[0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 1],
    [[0x22, 0xf5, 0x80, 0x80, 0x80, 0x22], 1],
    [[0x22, 0x61, 0xe2, 0x82, 0x22], 2],
    [[0x22, 0x5c, 0x6e, 0xc3, 0x22], 3],
    [[0xff], 0],
  ])('refuses the bytes %j, which are not UTF-8, at byte %i', (input, at) => {
    expect(refusal(Uint8Array.from(input))).toMatch(new RegExp(` at byte ${at}$`))
  })

  it('throws messages that quote nothing of the text', () => {
    for (const text of ['{"secret":hunter2}', '["hunter2', '{"hunter2":1,}', 'hunter2', '["\\hunter2"]']) {
      expect(refusal(text)).not.toContain('hunter2')
      expect(refusal(text)).not.toContain('secret')
    }
  })

  it('throws a KernelError if the caller overwrites the bytes between two slices', () => {
    const input = bytes(`["${'a'.repeat(1_000_000)}"]`)
    const steps = parseJson(input)
    steps.next()
    input.fill(0)
    expect(outcome(() => [...steps])).toBe('refused')
  })
})

describe('parseJson compared with JSON.parse', () => {
  const json = fc.json({ stringUnit: anyCharacter, maxDepth: 6 })
  const soup = fc
    .array(
      fc.constantFrom(...'{}[]:,"\\u019eE+-. \n\ttruefalsnd8€é', '"a"', '"\\ud83d', '\\ude00', '{"a":', '[1,', 'null', '1e5'),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''))
  const mutated = fc
    .tuple(
      json,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', ',', '"', '\\', '{', ']', '0', '-', 'e', '.', '\n', '\u0001', ' '),
    )
    .map(([text, at, cut, put]) => {
      const where = at % (text.length + 1)
      return wellFormed(text.slice(0, where) + put + text.slice(where + cut))
    })

  it.each([
    ['valid JSON', json.map(wellFormed)],
    ['mutated JSON', mutated],
    ['pieces of JSON', soup],
    [
      'pretty JSON',
      fc.tuple(fc.jsonValue(), fc.constantFrom(' ', '\t', '\r\n')).map(([value, space]) => JSON.stringify(value, null, space)),
    ],
    ['numbers', fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Number.isInteger(n) ? `[${n}e0]` : `[${n}]`))],
  ])('gives the same result for %s', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(!/\d{16}/.test(text))
        const expected = native(text)
        expect(outcome(() => slowly(bytes(text)) ?? null)).toEqual(text.trim() === '' ? { value: null } : expected)
        expect(outcome(() => parseJsonNow(bytes(text)) ?? null)).toEqual(text.trim() === '' ? { value: null } : expected)
      }),
      { numRuns: RUNS },
    )
  })

  it('gives the same result for random bytes with and without slices', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (input, quoted) => {
        const text = quoted ? Uint8Array.of(0x22, ...input, 0x22) : input
        expect(outcome(() => slowly(text) ?? undefined)).toEqual(outcome(() => parseJsonNow(text)))
      }),
      { numRuns: RUNS },
    )
  })

  it('returns every integer exactly, as a bigint beyond 2^53', () => {
    fc.assert(
      fc.property(fc.bigInt(), (n) => {
        const value = both(`[${n}]`) as [number | bigint]
        expect(BigInt(value[0])).toBe(n)
        expect(typeof value[0]).toBe(Number.isSafeInteger(Number(n)) ? 'number' : 'bigint')
      }),
      { numRuns: RUNS },
    )
  })
})
