import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CryptoBackend } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { HASHES } from './hashes.ts'
import { measured, noise, RUNS } from './steps.ts'

/** Sizes around the block, the slice of the noble libraries, and the piece of node:crypto. */
const SIZES = [0, 1, 55, 56, 64, 111, 112, 128, 135, 136, 32_767, 32_768, 32_769, 1_048_576, 1_048_577]

/** More than two pieces for node:crypto, or several slices for the slower noble libraries. */
const longFor = (crypto: CryptoBackend): number => (crypto.name === 'noble' ? 200_000 : 2_200_000)

describe.each(BACKENDS)('hashes and MACs of the backend $name', (crypto) => {
  it.each(HASHES)('%s returns the same digests as %s of OpenSSL, in one call and in steps', (name, openssl) => {
    const hash = crypto.hash(name)
    for (const size of SIZES.slice(
      0,
      crypto.name === 'noble' ? runs({ quick: SIZES.length - 2, soak: SIZES.length }) : SIZES.length,
    )) {
      const data = noise(size)
      const expected = new Uint8Array(createHash(openssl).update(data).digest())
      expect(hash.digest(data)).toEqual(expected)
      expect(measured(hash.digestSteps(data)).value).toEqual(expected)
      expect(hash.length).toBe(expected.length)
    }
    expect(hash.name).toBe(name)
    expect(measured(hash.digestSteps(noise(longFor(crypto)))).yields).toBeGreaterThan(1)
  })

  it.each(HASHES)('HMAC with %s returns the MACs of OpenSSL for keys shorter and longer than the block', (name, openssl) => {
    const { blockBytes } = crypto.hash(name)
    for (const keySize of [0, 1, 32, blockBytes, blockBytes + 1, 400]) {
      const bytes = noise(keySize, 3)
      const key = crypto.hmac(name, bytes)
      for (const size of [0, 31, 200, 2_047, 2_048, 2_049, 70_000]) {
        const expected = new Uint8Array(createHmac(openssl, bytes).update(noise(size)).digest())
        expect(key.mac(noise(size))).toEqual(expected)
        expect(key.macText(noise(size))).toBe(Buffer.from(expected).toString('base64'))
        expect(measured(key.macSteps(noise(size))).value).toEqual(expected)
      }
    }
  })

  it('return correct MACs if several computations in steps are interleaved', () => {
    const key = crypto.hmac('sha2-256', noise(32))
    const data = noise(longFor(crypto))
    const expected = new Uint8Array(createHmac('sha256', noise(32)).update(data).digest())
    const abandoned = key.macSteps(data)
    abandoned.next()
    const steps = key.macSteps(data)
    steps.next()
    expect(key.mac(noise(3))).toEqual(new Uint8Array(createHmac('sha256', noise(32)).update(noise(3)).digest()))
    abandoned.return(new Uint8Array(0))
    expect(measured(steps).value).toEqual(expected)
    expect(key.mac(data)).toEqual(expected)
  })

  it('throw from every call of a wiped MAC key, even from a computation in steps that has begun', () => {
    for (const [name] of HASHES) {
      const key = crypto.hmac(name, noise(32))
      const steps = key.macSteps(noise(longFor(crypto)))
      steps.next()
      key.wipe()
      key.wipe()
      for (const size of [1, 3_000]) {
        expect(() => key.mac(noise(size))).toThrow(TypeError)
        expect(() => key.macText(noise(size))).toThrow(TypeError)
      }
      expect(() => key.macSteps(noise(1)).next()).toThrow(TypeError)
      expect(() => measured(steps)).toThrow(TypeError)
    }
  })

  it('HKDF returns the bytes of hkdfSync, and accepts long info and an output length of 0', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...HASHES),
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.uint8Array({ maxLength: 100 }),
        fc.uint8Array({ maxLength: 100 }),
        fc.integer({ min: 1, max: 200 }),
        ([name, openssl], ikm, salt, info, length) => {
          expect(crypto.hkdf(name, ikm, salt, info, length)).toEqual(new Uint8Array(hkdfSync(openssl, ikm, salt, info, length)))
        },
      ),
      { numRuns: RUNS },
    )
    const [native, other] = [crypto, nobleCrypto()].map((backend) =>
      backend.hkdf('sha2-256', noise(9), undefined, noise(5_000), 64),
    )
    expect(native).toEqual(other)
    expect(crypto.hkdf('sha2-256', noise(9), new Uint8Array(0), noise(5_000), 64)).toEqual(native)
    expect(crypto.hkdf('sha2-256', noise(9), undefined, noise(1), 0)).toHaveLength(0)
    expect(crypto.hkdf('sha1', noise(9), undefined, noise(1), 255 * 20)).toHaveLength(5_100)
    expect(() => crypto.hkdf('sha1', noise(9), undefined, noise(1), 255 * 20 + 1)).toThrow(RangeError)
  })
})
