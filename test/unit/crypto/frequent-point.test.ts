/** Keys that verify often get a precomputed table. The table must not change results, and the number of tables is bounded. */
import '../../fixtures/loaded-curves.ts'
import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { describe, expect, it } from 'vitest'
import { FrequentPoint } from '../../../src/core/crypto/noble/frequent-point.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { noise } from './steps.ts'

const RUNS = runs({ quick: 1, slow: 2, soak: 100 })
/** A key has a table after the first of these rounds. */
const OFTEN = runs({ quick: 3, soak: 12 })
const crypto = nobleCrypto({ accelerate: false })
const sha256 = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest())

const flipped = (signature: Uint8Array, bit: number): Uint8Array => {
  const changed = Uint8Array.from(signature)
  changed[bit >> 3]! ^= 1 << (bit & 7)
  return changed
}

describe.each([
  ['P-256', p256],
  ['P-384', p384],
  ['P-521', p521],
] as const)('ECDSA on %s', (name, curve) => {
  const OPTIONS = { prehash: false, lowS: false } as const

  it('verification returns the same results as noble, before and after the precomputed table is built', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(), (seed, bit) => {
        const scalar = curve.utils.randomSecretKey(noise(curve.lengths.seed as number, seed))
        const publicKey = curve.getPublicKey(scalar, false)
        const key = crypto.ecdsaVerify(name, publicKey)
        for (let n = 0; n < OFTEN; n++) {
          const digest = sha256(`${seed} ${n}`)
          const signature = curve.sign(digest, scalar, OPTIONS)
          const half = signature.length / 2
          const zero = new Uint8Array(half)
          const order = curve.Point.Fn.ORDER.toString(16).padStart(2 * half, '0')
          const all = [
            signature,
            flipped(signature, (bit + n) % (8 * signature.length)),
            new Uint8Array([...zero, ...signature.subarray(half)]),
            new Uint8Array([...signature.subarray(0, half), ...zero]),
            new Uint8Array([...Buffer.from(order, 'hex'), ...signature.subarray(half)]),
            signature.subarray(1),
          ]
          for (const each of all) {
            const right = each.length === 2 * half && curve.verify(each, digest, publicKey, OPTIONS)
            expect(key.verifyDigest(each, digest)).toBe(right)
          }
          // Longer digests are truncated; shorter ones are small numbers.
          for (const other of [noise(64, n), noise(20, n), new Uint8Array(32), new Uint8Array(0)]) {
            const made = curve.sign(other.subarray(0, curve.Point.Fn.BYTES), scalar, OPTIONS)
            expect(key.verifyDigest(made, other)).toBe(true)
            expect(key.verifyDigest(made, digest)).toBe(false)
          }
        }
      }),
      { numRuns: name === 'P-521' ? 1 : RUNS },
    )
  })
})

it('Ed25519 verification returns correct results, before and after the precomputed table is built', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(511), (seed, bit) => {
      const key = crypto.ed25519Verify(ed25519.getPublicKey(seed))
      for (let n = 0; n < OFTEN; n++) {
        const message = noise(n, 3)
        const signature = ed25519.sign(message, seed)
        expect(key.verify(signature, message)).toBe(true)
        expect(key.verify(flipped(signature, (bit + n) % 512), message)).toBe(false)
        expect(key.verify(signature, noise(n + 1, 3))).toBe(false)
      }
    }),
    { numRuns: RUNS },
  )
})

describe('precomputed tables of public keys', () => {
  /** Logs each table that is built, with the name of its point. */
  function point(log: string[], name: string): FrequentPoint<{ multiplyUnsafe(): never; precompute(): never }> {
    let made = 0
    return new FrequentPoint(() => {
      const own = `${name}${made++}`
      return { multiplyUnsafe: () => own as never, precompute: () => log.push(own) as never }
    }, 4)
  }

  it('are built for the eighth use of a point, and kept for the 32 points used last', () => {
    const log: string[] = []
    const points = Array.from({ length: 40 }, (_, at) => point(log, `p${at}.`))
    for (const each of points) for (let n = 0; n < 7; n++) expect(each.use()).toBe(false)
    expect(log).toEqual([])
    for (const each of points.slice(0, 32)) expect(each.use()).toBe(true)
    expect(log).toHaveLength(32)
    // The first point was used again, so the second is evicted.
    expect(points[0]?.use()).toBe(true)
    expect(points[32]?.use()).toBe(true)
    expect(log).toHaveLength(33)
    expect(points[0]?.times(1n)).toBe('p0.0')
    expect(points[1]?.times(1n)).toBe('p1.1')
    expect(points[1]?.use()).toBe(false)
  })

  it('are not built for a window size of 0 bits', () => {
    const never = new FrequentPoint<never>((() => ({ precompute: expect.unreachable })) as never, 0)
    for (let n = 0; n < 50; n++) expect(never.use()).toBe(false)
  })
})
