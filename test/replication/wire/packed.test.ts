import { encode, rfc8949EncodeOptions } from 'cborg'
import { describe, expect, it } from 'vitest'
import type { Steps } from '../../../src/core/base/steps.ts'
import { WideObject } from '../../../src/core/json/wide-object.ts'
import { pack, packSteps } from '../../../src/sys/replication/wire/packed.ts'
import { unpack, unpackSteps } from '../../../src/sys/replication/wire/unpack.ts'
import fc from '../../fixtures/fast-check.ts'

/** CBOR does not distinguish 1 and 1n, so values contain only larger bigints. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -1, 23, 24, 2 ** 32, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e300, 0.5, 1.1),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.bigInt().filter((integer) => !Number.isSafeInteger(Number(integer))),
    fc.constantFrom(
      2n ** 64n - 1n,
      2n ** 64n,
      -(2n ** 64n),
      -(2n ** 64n) - 1n,
      10n ** 1024n,
      -(10n ** 1024n),
      2n ** 53n,
      -(2n ** 53n),
    ),
    fc.string({ unit: 'grapheme' }),
    fc
      .string({ unit: 'binary' })
      .map((text) => `\ufeff${text}`)
      .filter((text) => !/\p{Surrogate}/u.test(text)),
    fc.uint8Array({ maxLength: 3000 }),
    fc.array(tie('any'), { maxLength: 8 }),
    fc.dictionary(fc.string({ unit: 'grapheme' }), tie('any'), { maxKeys: 8 }),
  ),
})).any

it('pack and unpack return the packed value, whatever its size', () => {
  fc.assert(
    fc.property(value, (original) => {
      expect(unpack(pack(original))).toEqual({ value: original })
    }),
    { numRuns: 1000 },
  )
})

it('pack creates the deterministic encoding, as the encoder of cborg does', () => {
  fc.assert(
    fc.property(value, (one) => {
      const packed = pack(one)
      // cborg encodes no integers of more than 64 bits.
      if (!hasBignum(one)) expect(packed).toEqual(Uint8Array.from(encode(one, rfc8949EncodeOptions)))
    }),
    { numRuns: 1000 },
  )
  // RFC 8949 appendix A.
  for (const [given, hex] of [
    [18446744073709551616n, 'c249010000000000000000'],
    [-18446744073709551617n, 'c349010000000000000000'],
    [-18446744073709551616n, '3bffffffffffffffff'],
    [1000000000000, '1b000000e8d4a51000'],
    [1.1, 'fb3ff199999999999a'],
    [65504.5, 'fa477fe080'],
    [1.5, 'f93e00'],
    [{ b: [2, 3], a: 1 }, 'a26161016162820203'],
    [{ aa: 0, b: 0, é: 0, z: 0 }, 'a46162006 17a00626161006 2c3a900'.replaceAll(' ', '')],
  ] as const)
    expect(Buffer.from(pack(given)).toString('hex')).toBe(hex)
})

const hasBignum = (one: unknown): boolean => {
  if (typeof one === 'bigint') return one >= 2n ** 64n || one < -(2n ** 64n)
  if (typeof one !== 'object' || one === null || one instanceof Uint8Array) return false
  return Object.values(one).some(hasBignum)
}

it('pack sorts names in the order of their UTF-8 bytes, and unpack refuses every other order', () => {
  const names = [
    '',
    'b',
    'aa',
    '\uffee',
    '\u{1f600}',
    '\ud7ff',
    '__proto__',
    'x'.repeat(300),
    'y'.repeat(300),
    'z'.repeat(70_000),
  ]
  const packed = pack(Object.fromEntries(names.toReversed().map((name) => [name, 1])))
  const found = Object.keys(unpack(packed)?.value as object)
  expect(found).toEqual(
    [...names].sort((a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b))),
  )
  expect(Object.getPrototypeOf(unpack(packed)?.value)).toBe(Object.prototype)
})

it('pack writes only one of several names that have the same UTF-8 bytes', () => {
  expect(unpack(pack({ '\ud800': 1, a: 2, '\udfff': 3 }))).toEqual({ value: { a: 2, '\ufffd': 3 } })
})

it('pack omits members that are undefined, and refuses other values that CBOR or the channel does not have', () => {
  expect(unpack(pack({ a: undefined, b: 1 }))).toEqual({ value: { b: 1 } })
  for (const one of [
    undefined,
    [undefined],
    Number.NaN,
    Number.POSITIVE_INFINITY,
    { a: -Infinity },
    () => 1,
    { deep: Symbol('x') },
  ])
    expect(() => pack(one)).toThrow(TypeError)
})

it('unpack accepts only bytes that pack creates, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), nearlyValid()), (bytes) => {
      const found = unpack(bytes)
      if (found) expect(pack(found.value)).toEqual(bytes)
    }),
    { numRuns: 10_000 },
  )
  const packed = pack({ a: [1, 'two', new Uint8Array(3)] })
  for (let length = 0; length < packed.length; length++) expect(unpack(packed.subarray(0, length))).toBeUndefined()
  expect(unpack(Uint8Array.of(...packed, 0))).toBeUndefined()
})

/** Encodings of which one byte is changed. */
function nearlyValid(): fc.Arbitrary<Uint8Array> {
  return fc.tuple(value, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([one, at, byte]) => {
    const packed = pack(one)
    return packed.with(at % packed.length, byte)
  })
}

it('unpack returns a WideObject for a packed WideObject', () => {
  const wide = new WideObject()
  for (let n = 0; n < 40_000; n++) {
    if (n > 0 && n % 16_384 === 0) wide.extend()
    wide.last[`m${n}`] = n
  }
  const found = unpack(pack({ wide }))?.value as { wide: WideObject }
  expect(found.wide).toBeInstanceOf(WideObject)
  expect(Object.fromEntries(found.wide.entries())).toEqual(Object.fromEntries(wide.entries()))
})

/** The maximum number of values that one step may process. */
const MAX_VALUES_OF_A_PIECE = 10_000

function driven<T>(steps: Steps<T>): { readonly value: T; readonly pieces: number } {
  for (let pieces = 1; ; pieces++) {
    const { done, value } = steps.next()
    if (done) return { value, pieces }
  }
}

const wideOf = (members: number): WideObject => {
  const wide = new WideObject()
  for (let n = 0; n < members; n++) {
    if (n > 0 && n % 16_384 === 0) wide.extend()
    wide.last[`m${n}`] = true
  }
  return wide
}

describe.each([
  ['a list', 40_000, () => Array.from({ length: 40_000 }, () => true)],
  ['a wide object', 40_000, () => wideOf(40_000)],
  ['objects in a list', 40_000, () => Array.from({ length: 20_000 }, () => ({ a: 1 }))],
  [
    'large objects',
    32_000,
    () => Array.from({ length: 2 }, () => Object.fromEntries([...Array(16_000).keys()].map((n) => [`n${n}`, 1]))),
  ],
] as const)('%s of many values', (_, values, make) => {
  it('is packed and unpacked with pauses', () => {
    const packed = driven(packSteps(make()))
    const unpacked = driven(unpackSteps(packed.value))
    for (const { pieces } of [packed, unpacked]) expect(pieces).toBeGreaterThan(values / MAX_VALUES_OF_A_PIECE)
    // Comparing bytes one by one, as matchers do, takes seconds.
    expect(Buffer.compare(pack(unpacked.value?.value), packed.value)).toBe(0)
  })
})

it.each([
  ['a text', 'é'.repeat(1_000_000)],
  ['numbers of many digits', Array.from({ length: 5000 }, () => 10n ** 1000n)],
])('pack and unpack pause while they process %s', (_, value) => {
  const packed = driven(packSteps(value))
  const unpacked = driven(unpackSteps(packed.value))
  expect(unpacked.value?.value).toEqual(value)
  expect(Math.min(packed.pieces, unpacked.pieces)).toBeGreaterThan(5)
})

it('pack refuses a value that is too long with status 413, without reading the rest of the value', () => {
  const endless = { *[Symbol.iterator]() {} }
  expect(() => driven(packSteps(['x'.repeat(1000), endless, Symbol('never reached')], 500))).toThrow(
    expect.objectContaining({ code: 'ERR_REQUEST_TOO_LARGE', status: 413 }),
  )
  expect(() => driven(packSteps('x'.repeat(1_000_000), 500))).toThrow(expect.objectContaining({ status: 413 }))
})

describe('unpacking of hostile bytes', () => {
  const of = (hex: string, ...rest: Uint8Array[]) => Uint8Array.from(Buffer.concat([Buffer.from(hex, 'hex'), ...rest]))

  it.each([
    ['an integer that is longer than necessary', '1817'],
    ['a 64-bit integer that is longer than necessary', '1b00000000ffffffff'],
    ['a negative integer that is longer than necessary', '3800'],
    ['a length that is longer than necessary', '780161'],
    ['a float that is an integer', 'f93c00'],
    ['a float that is longer than necessary', 'fa3fc00000'],
    ['a negative zero', 'f98000'],
    ['a NaN', 'f97e00'],
    ['an infinity', 'f97c00'],
    ['undefined', 'f7'],
    ['another simple value', 'f8ff'],
    ['bytes of indefinite length', '5f4100ff'],
    ['a text of indefinite length', '7f6161ff'],
    ['a list of indefinite length', '9f01ff'],
    ['a map of indefinite length', 'bf616101ff'],
    ['a break', 'ff'],
    ['a tag for dates', 'c11a514b67b0'],
    ['a tag for decimal fractions', 'c48221196ab3'],
    ['a bignum that would fit into 64 bits', 'c24101'],
    ['a bignum with a leading zero', 'c24a00010000000000000000'],
    ['a bignum of a text', 'c2696162636465666768 69'.replace(' ', '')],
    ['a member name that is no text', 'a10101'],
    ['members that are not in order', 'a2616201616101'],
    ['a member twice', 'a2616101616102'],
    ['invalid UTF-8', '61ff'],
    ['a surrogate', '63eda080'],
    ['invalid UTF-8 in a member name', 'a161ff01'],
    ['a text that is longer than the message', '7affffffff61'],
    ['bytes that are longer than the message', '5affffffff61'],
    ['a list that is longer than the message', '9b001fffffffffffff01'],
    ['a list of 2^64 - 1 entries', '9bffffffffffffffff01'],
    ['a map that is longer than the message', 'baffffffff616101'],
    ['a reserved head', '1c'],
    ['nothing', ''],
  ])('refuses %s', (_, hex) => {
    expect(unpack(of(hex))).toBeUndefined()
  })

  it('refuses an integer of more than 426 bytes, without converting it', () => {
    const bignum = (length: number) => of('c2', pack(new Uint8Array(length).fill(255)))
    expect(unpack(bignum(426))?.value).toBe(2n ** 3408n - 1n)
    expect(unpack(bignum(427))).toBeUndefined()
    const before = performance.now()
    expect(unpack(bignum(8_000_000))).toBeUndefined()
    expect(performance.now() - before).toBeLessThan(500)
  })

  it('refuses values that are nested too deep, or that need much more memory than their bytes', () => {
    expect(unpack(of(`${'81'.repeat(1100)}00`))).toBeDefined()
    expect(unpack(of(`${'81'.repeat(1101)}00`))).toBeUndefined()
    expect(unpack(of(`${'81'.repeat(100_000)}00`))).toBeUndefined()
    expect(unpack(of('9a000186a0', new Uint8Array(100_000).fill(0x80)))).toBeDefined()
    expect(unpack(of('9a000927c0', new Uint8Array(600_000).fill(0x80)))).toBeUndefined()
  })

  it('refuses more than 2,097,152 values, which pack refuses with status 413', () => {
    const list = (length: number) => {
      const bytes = new Uint8Array(5 + length)
      bytes[0] = 0x9a
      new DataView(bytes.buffer).setUint32(1, length)
      return bytes
    }
    expect(unpack(list(2_097_151))).toBeDefined()
    expect(unpack(list(2_097_152))).toBeUndefined()
    expect(() => pack(Array.from({ length: 2_097_152 }, () => 0))).toThrow(expect.objectContaining({ status: 413 }))
  })

  it('adds a member __proto__ to the object and does not set its prototype', () => {
    const found = unpack(pack(JSON.parse('{"__proto__": {"polluted": true}, "a": 1}')))?.value as Record<string, unknown>
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype)
    expect(Object.keys(found)).toEqual(['a', '__proto__'])
    expect((found as { polluted?: unknown }).polluted).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('does not depend on the class of the array, and keeps no reference to it', () => {
    const bytes = Buffer.from(pack({ bytes: Uint8Array.of(1, 2, 3), text: 'text' }))
    const found = unpack(bytes)?.value
    bytes.fill(0)
    expect(found).toEqual({ bytes: Uint8Array.of(1, 2, 3), text: 'text' })
  })
})

it('pack writes each name of a WideObject once, with the value of the last object that has the name', () => {
  const wide = new WideObject([{ b: 1, a: 1 }, { c: 2, b: 2 }, { a: 3 }])
  expect(unpack(pack(wide))?.value).toEqual({ a: 3, b: 2, c: 2 })
})

it('unpack returns the packed value wherever the value crosses the end of a buffer', () => {
  for (let length = 900; length < 1100; length++) {
    const packed = [new Uint8Array(length).fill(7), true, 'text', { name: null, list: [1, 2n ** 70n] }]
    expect(unpack(pack(packed))?.value).toEqual(packed)
  }
})
