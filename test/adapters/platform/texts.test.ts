/** Both platforms convert bytes and texts in the same way. */

import { describe, expect, it } from 'vitest'
import { bufferPool } from '../../../src/adapters/platform-node/buffer-pool.ts'
import { texts as node } from '../../../src/adapters/platform-node/texts.ts'
import { pauseBy } from '../../../src/adapters/platform-web/pause.ts'
import { rsa } from '../../../src/adapters/platform-web/rsa.ts'
import { texts as web } from '../../../src/adapters/platform-web/texts.ts'
import { anyCharacter } from '../../fixtures/any-character.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'

const RUNS = { numRuns: runs({ quick: 200, soak: 20_000 }) }
const bytes = fc.uint8Array({ maxLength: 9000 })
const text = fc.string({ unit: anyCharacter, maxLength: 300 })

describe('conversions between bytes and text', () => {
  it('have the same results with and without Buffer', () => {
    fc.assert(
      fc.property(bytes, (some) => {
        for (const form of ['hex', 'base64', 'base64url'] as const) expect(web[form](some)).toBe(node[form](some))
        expect(web.fromHex(node.hex(some))).toEqual(some)
        for (const form of ['base64', 'base64url'] as const) {
          expect(web.fromBase64(node[form](some))).toEqual(some)
          expect(node.fromBase64(node[form](some))).toEqual(some)
        }
      }),
      RUNS,
    )
  })

  it('are correct for every length and offset, whether or not the buffer pool has several users', () => {
    const whole = new Uint8Array(1_100_000).map((_, at) => (at * 31) >> 3)
    const others = Array.from({ length: 5 }, () => bufferPool.take(200_000))
    for (const busy of [true, false]) {
      if (!busy) for (const room of others) bufferPool.release(room)
      expect(bufferPool.hasSeveralUsers).toBe(busy)
      for (const length of [89_999, 90_000, 90_001, 90_002, 180_000, 269_999, 524_285, 524_287, 1_048_604])
        for (const from of [0, 1, 5]) {
          const some = whole.subarray(from, from + length)
          const right = Buffer.from(some)
          for (const form of ['hex', 'base64', 'base64url'] as const) expect(node[form](some) === right.toString(form)).toBe(true)
          const text = right.toString('base64')
          expect(node.base64Shared(some) === text).toBe(true)
          for (const texts of [web, node]) {
            expect(Buffer.compare(texts.fromBase64(text), some)).toBe(0)
            const room = texts.buffer(length)
            expect(texts.writeBase64(text.slice(0, 4000), room, 0)).toBe(3000)
            expect(texts.writeBase64(text.slice(4000), room, 3000)).toBe(length - 3000)
            expect(Buffer.compare(room, some)).toBe(0)
            bufferPool.release(room)
          }
        }
    }
  })

  it('count the UTF-8 bytes of any text, even one with unpaired surrogates', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 300 }), (whole, at) => {
        const some = whole.slice(at)
        expect(web.byteLength(some)).toBe(new TextEncoder().encode(some).length)
        expect(node.byteLength(some)).toBe(new TextEncoder().encode(some).length)
      }),
      RUNS,
    )
  })

  it('decode a range of bytes in the same way on both platforms', () => {
    fc.assert(
      fc.property(text, fc.nat(400), fc.nat(400), (whole, first, second) => {
        const ascii = new Uint8Array([...whole].map((character) => (character.codePointAt(0) as number) & 0x7f))
        const [from, to] = [Math.min(first, second), Math.min(Math.max(first, second), ascii.length)]
        expect(web.latin1(web.view(ascii), from, to)).toBe(node.latin1(node.view(ascii), from, to))
        const utf8 = new TextEncoder().encode(whole)
        expect(web.utf8(web.view(utf8), 0, utf8.length)).toBe(node.utf8(node.view(utf8), 0, utf8.length))
      }),
      RUNS,
    )
  })

  it('return fewer bytes than expected for invalid base64', () => {
    for (const texts of [web, node])
      for (const wrong of ['QUJD!UJD', 'QUJDQUJ\n', '    ', 'QU\u00e9D'])
        expect(texts.fromBase64(wrong).length).toBeLessThan((wrong.length * 3) >> 2)
  })

  it('decode no more bytes than fit, and only at the given offset', () => {
    for (const texts of [web, node])
      for (const length of [5, 100, 9000]) {
        const room = texts.buffer(length).fill(1)
        expect(texts.writeBase64('/'.repeat(4 * length), room, 2)).toBe(length - 2)
        expect(room).toEqual(new Uint8Array(length).fill(255).fill(1, 0, 2))
      }
  })

  it.each([
    ['node', node],
    ['web', web],
  ] as const)(
    'on the platform %s give each caller a separate buffer, and encode it without bytes of other buffers',
    (_name, texts) => {
      const lengths = [0, 1, 12, 63, 64, 65, 8191, 8192, 8193, 65_536, 65_537, ...Array.from({ length: 300 }, (_, at) => at * 7)]
      const rooms = lengths.map((length, at) => texts.buffer(length).fill(at))
      for (const [at, room] of rooms.entries()) {
        expect(room).toHaveLength(lengths[at] as number)
        const alone = Buffer.alloc(room.length, at)
        for (const form of ['hex', 'base64', 'base64url'] as const) {
          expect(texts[form](room)).toBe(alone.toString(form))
          expect(texts[form](room.subarray(1, 80))).toBe(alone.subarray(1, 80).toString(form))
        }
        expect(texts.base64Shared(room)).toBe(alone.toString('base64'))
      }
    },
  )

  it.each([
    ['node', node],
    ['web', web],
  ] as const)('encode the most recent buffer correctly (%s), even after other texts were decoded', (_name, texts) => {
    const read = Buffer.alloc(3000, 0xaa).toString('base64')
    for (let at = 0; at < 300; at++) {
      const length = (at * 7) % 100
      const room = texts.buffer(length).fill(at)
      for (let times = 0; times < at % 30; times++) texts.writeBase64(read, texts.buffer(3000), 0)
      const alone = Buffer.alloc(length, at)
      expect(texts.base64Shared(room)).toBe(alone.toString('base64'))
      expect(texts.base64Shared(room.slice(0, 9))).toBe(alone.subarray(0, 9).toString('base64'))
    }
  })

  it('never give two callers the same memory, even after buffers were released', () => {
    for (const texts of [web, node]) {
      const held: Uint8Array[] = []
      for (let at = 0; at < 400; at++) {
        const released = texts.buffer(at % 3 ? 60 : 61)
        released.fill(255)
        expect(texts.base64Shared(released)).toBe(Buffer.alloc(released.length, 255).toString('base64'))
        texts.release(released)
        if (at % 2) texts.release(held[at >> 2] as Uint8Array)
        held.push(texts.buffer(60).fill(at))
      }
      // The odd rounds released some of the first buffers, which were not the newest ones and so were not given to other callers.
      for (const [at, bytes] of held.entries()) expect(bytes).toEqual(new Uint8Array(60).fill(at))
    }
  })

  it('return each decoded text in a separate memory buffer', () => {
    for (const texts of [web, node]) expect(texts.fromBase64('QUJD').buffer).not.toBe(texts.fromBase64('QUJD').buffer)
  })
})

describe('pauseBy', () => {
  it.each([
    ['setImmediate', setImmediate],
    ['a message channel', undefined],
  ] as const)('with %s, resolves after pending microtasks, in the order of the calls', async (_by, immediate) => {
    const pause = pauseBy(immediate)
    const order: string[] = []
    const first = pause().then(() => order.push('first'))
    const second = pause().then(() => order.push('second'))
    await Promise.resolve().then(() => order.push('microtask'))
    await Promise.all([first, second])
    expect(order).toEqual(['microtask', 'first', 'second'])
  })
})

it('RSA operations fail with an error that names RSA on a platform without RSA arithmetic', async () => {
  const refusal = expect.objectContaining({ code: 'ERR_INVALID_REQUEST', message: expect.stringContaining('RSA') })
  expect(() => rsa.openPublic(new Uint8Array(3))).toThrow(refusal)
  expect(() => rsa.openPrivate(new Uint8Array(3))).toThrow(refusal)
  await expect(rsa.generate(2048)).rejects.toEqual(refusal)
})
