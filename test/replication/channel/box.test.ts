import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { openBox, sealTo } from '../../../src/sys/replication/channel/box.ts'
import fc from '../../fixtures/fast-check.ts'
import { noise } from '../../unit/crypto/steps.ts'
import { bytesOf, LOW_ORDER, PAIRS, PARTS, pair, spoiled } from './ends.ts'

const sealed = (publicKey: Uint8Array, text: string, context = 'bundle') =>
  runToEnd(sealTo(PARTS, publicKey, bytesOf(text), context))!

describe.each(PAIRS)('a sealed box, $name', ({ asking, answering }) => {
  it('can be opened by the owner of the key', () => {
    const owner = pair()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.string(), (plaintext, context) => {
        const box = runToEnd(sealTo(asking, owner.publicKey, plaintext, context))!
        expect(runToEnd(openBox(answering, owner, box, context))).toEqual(plaintext)
      }),
      { numRuns: 20 },
    )
  })
})

describe('a sealed box', () => {
  const owner = pair()

  it('cannot be opened with another key or for another context', () => {
    const box = sealed(owner.publicKey, 'the keys of the set')
    expect(runToEnd(openBox(PARTS, pair(), box, 'bundle'))).toBeUndefined()
    for (const context of ['', 'bundl', 'bundle ', 'bundles'])
      expect(runToEnd(openBox(PARTS, owner, box, context))).toBeUndefined()
  })

  it('cannot be opened after any change of its bytes', () => {
    for (const box of spoiled(sealed(owner.publicKey, 'key')))
      expect(runToEnd(openBox(PARTS, owner, box, 'bundle'))).toBeUndefined()
  })

  it('can be longer than a Noise message, and is then refused if a fragment is missing or changed', () => {
    const plaintext = noise(200_000)
    const box = runToEnd(sealTo(PARTS, owner.publicKey, plaintext, 'bundle'))!
    expect(Buffer.compare(runToEnd(openBox(PARTS, owner, box, 'bundle'))!, plaintext)).toBe(0)
    for (const length of [49, 49 + 65_535, 49 + 3 * 65_535, box.length - 1])
      expect(runToEnd(openBox(PARTS, owner, box.subarray(0, length), 'bundle'))).toBeUndefined()
    for (let at = 0; at < box.length; at += 4_999)
      expect(runToEnd(openBox(PARTS, owner, box.with(at, box[at]! ^ 1), 'bundle'))).toBeUndefined()
    expect(() => runToEnd(sealTo(PARTS, owner.publicKey, new Uint8Array(8_388_609), 'bundle'))).toThrow(
      expect.objectContaining({ status: 413 }),
    )
  })

  it('differs each time that the same plaintext is sealed to the same key', () => {
    expect(sealed(owner.publicKey, 'the same')).not.toEqual(sealed(owner.publicKey, 'the same'))
  })

  it('can be opened from a part of a larger Buffer, without keeping a reference to the Buffer', () => {
    const box = sealed(owner.publicKey, 'part of a stream')
    const around = Buffer.concat([Buffer.alloc(7), box, Buffer.alloc(9)])
    const opened = runToEnd(openBox(PARTS, owner, around.subarray(7, 7 + box.length), 'bundle'))
    around.fill(0)
    expect(opened).toEqual(bytesOf('part of a stream'))
  })

  it('cannot be created for an invalid public key', () => {
    for (const low of [...LOW_ORDER, new Uint8Array(0), new Uint8Array(31).fill(1), new Uint8Array(33).fill(1)])
      expect(runToEnd(sealTo(PARTS, low, bytesOf('secret'), 'bundle'))).toBeUndefined()
  })

  it('is refused if its ephemeral key has low order, because then anyone can compute the encryption key', () => {
    for (const low of LOW_ORDER)
      expect(runToEnd(openBox(PARTS, owner, Uint8Array.of(1, ...low, ...new Uint8Array(32)), 'bundle'))).toBeUndefined()
  })

  it('is refused without an exception if it consists of random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(runToEnd(openBox(PARTS, owner, Uint8Array.of(1, ...bytes), 'bundle'))).toBeUndefined()
      }),
    )
  })
})
