import { ed25519 } from '@noble/curves/ed25519.js'
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { unhex } from '../../vectors/load.ts'
import { measured, noise } from './steps.ts'

const SEED = noise(32, 11)
const ORDER = 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3edn

const littleEndian = (n: bigint): Uint8Array => unhex(n.toString(16).padStart(64, '0')).reverse()

describe.each(BACKENDS)('Ed25519 of the backend $name', (crypto) => {
  const key = crypto.ed25519Sign(SEED)
  const verifier = crypto.ed25519Verify(key.publicKey)

  it('creates the same signatures and public keys as the noble library', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 300 }), (seed, message) => {
        const key = crypto.ed25519Sign(seed)
        expect(key.sign(message)).toEqual(ed25519.sign(message, seed))
        expect(key.publicKey).toEqual(ed25519.getPublicKey(seed))
      }),
      { numRuns: runs({ quick: 15, soak: 1_000 }) },
    )
  })

  it.each([0, 1, 32_767, 32_768, 32_769, 131_073, 1_048_577])(
    'signs and verifies %i bytes equally in one call and in steps',
    (size) => {
      const message = noise(size)
      const expected = ed25519.sign(message, SEED)
      expect(key.sign(message)).toEqual(expected)
      const signing = measured(key.signSteps(message))
      expect(signing.value).toEqual(expected)
      expect(verifier.verify(expected, message)).toBe(true)
      const verifying = measured(verifier.verifySteps(expected, message))
      expect(verifying.value).toBe(true)
      if (size > 1_048_576) expect(Math.min(signing.yields, verifying.yields)).toBeGreaterThan(10)
      if (size > 0) message[size >> 1]! ^= 4
      expect(measured(verifier.verifySteps(size > 0 ? expected : noise(64), message)).value).toBe(false)
    },
  )

  it('signs the original message even if the caller overwrites it between two steps', () => {
    const message = noise(2_000_000)
    const copy = message.slice()
    const steps = key.signSteps(message)
    // The first hash reads 62 pieces. After that, the second hash must not depend on the caller's array.
    for (let i = 0; i < 70; i++) steps.next()
    message.fill(0)
    expect(ed25519.verify(measured(steps).value, copy, key.publicKey)).toBe(true)
  })

  it('signs correctly after the caller overwrites the exported public key', () => {
    const key = crypto.ed25519Sign(SEED)
    key.publicKey.fill(0)
    expect(key.sign(noise(5))).toEqual(ed25519.sign(noise(5), SEED))
  })

  it('rejects S + L, wrong lengths and every flipped bit', () => {
    const message = noise(20)
    const signature = key.sign(message)
    const s = BigInt(`0x${Buffer.from(signature.slice(32)).reverse().toString('hex')}`)
    const unreduced = signature.slice()
    unreduced.set(littleEndian(s + ORDER), 32)
    expect(verifier.verify(unreduced, message)).toBe(false)
    for (const length of [0, 32, 63, 65, 128]) expect(verifier.verify(new Uint8Array(length), message)).toBe(false)
    for (let bit = 0; bit < 512; bit += runs({ quick: 17, soak: 1 })) {
      const bad = signature.slice()
      bad[bit >> 3]! ^= 1 << (bit & 7)
      expect(verifier.verify(bad, message)).toBe(false)
    }
  })

  it('accepts and rejects points of small order and non-canonical encodings as OpenSSL does', () => {
    // Points of small order, canonical and non-canonical, as public keys (rows) and as R (columns), with S = 0, over the messages 0 to 19.
    // The numbers are how many of these signatures OpenSSL 3.0.19 and 3.5.8 accept, measured with Node 20 and 22; newer releases of Node
    // refuse all of them before they call OpenSSL.
    const table: readonly (readonly [string, readonly number[]])[] = [
      ['0000000000000000000000000000000000000000000000000000000000000000', [4, 5, 0, 3, 0, 0, 0, 0, 0, 0]],
      ['0100000000000000000000000000000000000000000000000000000000000000', [0, 20, 0, 0, 0, 0, 0, 0, 0, 0]],
      ['0100000000000000000000000000000000000000000000000000000000000080', [0, 20, 0, 0, 0, 0, 0, 0, 0, 0]],
      ['ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', [0, 9, 0, 6, 0, 0, 0, 0, 0, 0]],
      ['ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', [0, 6, 0, 9, 0, 0, 0, 0, 0, 0]],
      ['edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', [6, 5, 0, 3, 0, 0, 0, 0, 0, 0]],
      ['eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', [0, 20, 0, 0, 0, 0, 0, 0, 0, 0]],
      ['eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', [0, 20, 0, 0, 0, 0, 0, 0, 0, 0]],
      ['26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', [2, 2, 0, 2, 0, 0, 0, 0, 4, 1]],
      ['c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', [0, 1, 0, 2, 0, 0, 0, 0, 3, 1]],
    ]
    const counted = table.map(([point]) => {
      const key = crypto.ed25519Verify(unhex(point))
      const row = table.map(([r]) => {
        const signature = unhex(r + '00'.repeat(32))
        return Array.from({ length: 20 }, (_, i) => key.verify(signature, Uint8Array.of(i))).filter(Boolean).length
      })
      return [point, row]
    })
    expect(counted).toEqual(table)
  })

  it('refuses invalid points with a 400 error and seeds of the wrong length with a TypeError', () => {
    for (const bytes of [new Uint8Array(31), new Uint8Array(33), unhex(`02${'00'.repeat(31)}`)]) {
      expect(() => crypto.ed25519Verify(bytes)).toThrow(expect.objectContaining({ constructor: KernelError, status: 400 }))
    }
    for (const length of [0, 31, 33, 64]) expect(() => crypto.ed25519Sign(new Uint8Array(length))).toThrow(TypeError)
  })

  it('throws after it is wiped, even from a signature in steps that has begun', () => {
    const key = crypto.ed25519Sign(SEED)
    const steps = key.signSteps(noise(2_000_000))
    steps.next()
    key.wipe()
    key.wipe()
    expect(() => key.sign(noise(1))).toThrow(TypeError)
    expect(() => key.signSteps(noise(1)).next()).toThrow(TypeError)
    expect(() => measured(steps)).toThrow(TypeError)
  })
})
