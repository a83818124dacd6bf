import { describe, expect, it } from 'vitest'
import type { Steps } from '../../../src/core/base/steps.ts'
import { WideObject } from '../../../src/core/json/wide-object.ts'
import { pack, packSteps, unpack, unpackSteps } from '../../../src/sys/replication/wire/packed.ts'
import fc from '../../fixtures/fast-check.ts'

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(undefined, null, true, false),
    fc.double(),
    fc.bigInt(),
    fc.string({ unit: 'grapheme' }),
    fc.uint8Array({ maxLength: 3000 }),
    fc.array(tie('any'), { maxLength: 8 }),
    fc.dictionary(fc.string(), tie('any'), { maxKeys: 8 }),
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

it('unpack accepts only bytes that pack creates, and never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const found = unpack(bytes)
      if (found) expect(unpack(pack(found.value))).toEqual(found)
    }),
    { numRuns: 5000 },
  )
  const packed = pack({ a: [1, 'two', new Uint8Array(3)] })
  for (let length = 0; length < packed.length; length++) expect(unpack(packed.subarray(0, length))).toBeUndefined()
  expect(unpack(Uint8Array.of(8, 255, 255, 255, 255))).toBeUndefined()
})

it('unpack returns a WideObject for a packed WideObject', () => {
  const wide = new WideObject()
  for (let n = 0; n < 40_000; n++) {
    if (n > 0 && n % 16_384 === 0) wide.extend()
    wide.last[`m${n}`] = n
  }
  const found = unpack(pack({ wide }))?.value as { wide: WideObject }
  expect(found.wide).toBeInstanceOf(WideObject)
  expect([...found.wide.entries()]).toEqual([...wide.entries()])
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
  ['numbers of many digits', Array.from({ length: 2000 }, () => 10n ** 1000n)],
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
  const sized = (kind: number, size: number, rest: Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(5 + rest.length)
    bytes[0] = kind
    new DataView(bytes.buffer).setUint32(1, size)
    bytes.set(rest, 5)
    return bytes
  }

  it.each(['1'.repeat(1026), '1'.repeat(4_000_000), '0x10', ' 1', '', '1e3'])(
    'refuses a number with an invalid text',
    (digits) => {
      const text = new TextEncoder().encode(digits)
      expect(unpack(sized(5, text.length, text))).toBeUndefined()
    },
  )

  it('refuses an object with too many members, and values that need much more memory than their bytes', () => {
    expect(unpack(sized(9, 20_000, new Uint8Array(200_000)))).toBeUndefined()
    const empty = sized(8, 100_000, new Uint8Array(0))
    const lists = new Uint8Array(5 + 100_000 * 5)
    lists.set(empty)
    for (let n = 0; n < 100_000; n++) lists[5 + n * 5] = 8
    expect(unpack(lists)).toBeDefined()
    const more = new Uint8Array(5 + 600_000 * 5)
    more.set(sized(8, 600_000, new Uint8Array(0)))
    for (let n = 0; n < 600_000; n++) more[5 + n * 5] = 8
    expect(unpack(more)).toBeUndefined()
  })
})

it('pack refuses functions and symbols', () => {
  expect(() => pack(() => 1)).toThrow(TypeError)
  expect(() => pack({ deep: Symbol('x') })).toThrow(TypeError)
})

it('unpack returns the packed value wherever the value crosses the end of a buffer', () => {
  for (let length = 900; length < 1100; length++) {
    const packed = [new Uint8Array(length).fill(7), true, 'text', { name: null, list: [1, undefined, 2n] }]
    expect(unpack(pack(packed))?.value).toEqual(packed)
  }
})
