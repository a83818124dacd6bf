import { expect, it } from 'vitest'
import { WideObject } from '../../../src/core/json/wide-object.ts'
import { pack, unpack } from '../../../src/sys/replication/wire/packed.ts'
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

it('gives back what was packed, of any size', () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(unpack(pack(one))).toEqual({ value: one })
    }),
    { numRuns: 1000 },
  )
})

it('takes no other bytes, and never throws for them', () => {
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

it('keeps very wide objects wide', () => {
  const wide = new WideObject()
  for (let n = 0; n < 40_000; n++) {
    if (n > 0 && n % 16_384 === 0) wide.extend()
    wide.last[`m${n}`] = n
  }
  const found = unpack(pack({ wide }))?.value as { wide: WideObject }
  expect(found.wide).toBeInstanceOf(WideObject)
  expect([...found.wide.entries()]).toEqual([...wide.entries()])
})

it('refuses what is no value', () => {
  expect(() => pack(() => 1)).toThrow(TypeError)
  expect(() => pack({ deep: Symbol('x') })).toThrow(TypeError)
})

it('keeps every value, wherever the end of the room falls', () => {
  for (let length = 900; length < 1100; length++) {
    const packed = [new Uint8Array(length).fill(7), true, 'text', { name: null, list: [1, undefined, 2n] }]
    expect(unpack(pack(packed))?.value).toEqual(packed)
  }
})
