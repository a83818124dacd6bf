import '../../fixtures/loaded-curves.ts'
import { createPrivateKey, createPublicKey, verify } from 'node:crypto'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { KernelError } from '../../../src/core/base/errors.ts'
import type { CurveName } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { ecSpkiPem } from '../../../src/core/crypto/spki.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { unhex } from '../../vectors/load.ts'
import { noise } from './steps.ts'

const crypto = nobleCrypto()
const CURVES = [
  ['P-256', p256, 32],
  ['P-384', p384, 48],
  ['P-521', p521, 66],
] as const
const refused = expect.objectContaining({ constructor: KernelError, status: 400 })

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const toBytes = (n: bigint, size: number): Uint8Array => unhex(n.toString(16).padStart(2 * size, '0'))

describe.each(CURVES)('ECDSA on %s', (curve, stock, size) => {
  const scalar = crypto.ecdsaGenerate(curve, (n) => noise(n, 21))
  const key = crypto.ecdsaSign(curve, scalar)
  const verifier = crypto.ecdsaVerify(curve, key.publicKey)
  const order = stock.Point.Fn.ORDER
  /** A verification on the large curves takes many milliseconds. */
  const some = (few: number, all: number): number => (curve === 'P-256' ? all : runs({ quick: few, soak: all }))

  it('signs digests of any length, with signatures that it and the noble library accept', () => {
    for (const length of [0, 20, size, size + 1, 9_000, 1, 28, size - 1, 64, 100].slice(0, some(5, 10))) {
      const digest = noise(length, length + 1)
      const signature = key.signDigest(digest, noise(32))
      expect(signature).toHaveLength(2 * size)
      expect(verifier.verifyDigest(signature, digest)).toBe(true)
      if (length <= 8_192) expect(stock.verify(signature, digest, key.publicKey, { prehash: false, lowS: false })).toBe(true)
      expect(verifier.verifyDigest(signature, noise(length + 1, 7))).toBe(false)
    }
  })

  it('uses only the leftmost bits of a long digest', () => {
    const digest = noise(size + 20)
    const signature = key.signDigest(digest, noise(32))
    digest[size] = digest[size]! ^ 0xff
    expect(verifier.verifyDigest(signature, digest)).toBe(true)
    digest[0] = digest[0]! ^ 0xff
    expect(verifier.verifyDigest(signature, digest)).toBe(false)
  })

  it('creates signatures that depend on the given entropy', () => {
    const digest = noise(32)
    const [a, b, c] = [noise(32, 1), noise(32, 2), noise(32, 1)].map((entropy) => key.signDigest(digest, entropy))
    expect(a).not.toEqual(b)
    expect(a).toEqual(c)
  })

  it('creates and accepts signatures with a high S', () => {
    const high = []
    for (let i = 0; i < 12 && high.length < runs({ quick: 1, soak: 12 }); i++) {
      const digest = noise(32, i + 1)
      const signature = key.signDigest(digest, noise(32))
      const s = toNumber(signature.subarray(size))
      if (s > order / 2n) high.push(s)
      const other = signature.slice()
      other.set(toBytes(order - s, size), size)
      expect(verifier.verifyDigest(other, digest)).toBe(true)
    }
    expect(high.length).toBeGreaterThan(0)
  })

  it('rejects signatures of the wrong length or with numbers that are zero or out of range', () => {
    const digest = noise(32)
    const signature = key.signDigest(digest, noise(32))
    for (const length of [0, 1, 2 * size - 1, 2 * size + 1]) {
      const other = new Uint8Array(length)
      other.set(signature.subarray(0, length))
      expect(verifier.verifyDigest(other, digest)).toBe(false)
    }
    for (const [r, s] of [
      [0n, 1n],
      [1n, 0n],
      [order, 1n],
      [1n, order],
      [order + toNumber(signature.subarray(0, size)), 1n],
    ] as const) {
      const mask = 2n ** BigInt(8 * size) - 1n
      const other = new Uint8Array([...toBytes(r & mask, size), ...toBytes(s & mask, size)])
      expect(verifier.verifyDigest(other, digest)).toBe(false)
    }
    expect(verifier.verifyDigest(new Uint8Array(2 * size).fill(0xff), digest)).toBe(false)
  })

  it('rejects random signature bytes without an exception', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 2 * size, maxLength: 2 * size }),
        fc.uint8Array({ maxLength: 80 }),
        (signature, digest) => {
          expect(verifier.verifyDigest(signature, digest)).toBe(false)
        },
      ),
      { numRuns: some(5, 20) },
    )
  })

  it('generates a scalar below the order from the given random bytes, which it wipes', () => {
    const drawn: Uint8Array[] = []
    const made = crypto.ecdsaGenerate(curve, (n) => {
      const bytes = noise(n, 33)
      drawn.push(bytes)
      return bytes
    })
    expect(made).toHaveLength(size)
    expect(toNumber(made)).toBeGreaterThan(0n)
    expect(toNumber(made)).toBeLessThan(order)
    expect(drawn.length).toBe(1)
    expect(drawn[0]!.every((byte) => byte === 0)).toBe(true)
    // At least 64 bits more than the order, so that the bias of the remainder is negligible (FIPS 186-5 appendix A.2.1).
    expect(drawn[0]!.length).toBeGreaterThanOrEqual(size + 8)
    expect(crypto.ecdsaGenerate(curve, (n) => noise(n, 34))).not.toEqual(made)
  })

  it('refuses invalid private scalars and public points with 400', () => {
    for (const bad of [
      new Uint8Array(size),
      toBytes(order, size),
      new Uint8Array(size - 1).fill(1),
      new Uint8Array(size + 1).fill(1),
    ]) {
      expect(() => crypto.ecdsaSign(curve, bad)).toThrow(refused)
    }
    const off = key.publicKey.slice()
    off[size] = off[size]! ^ 1
    for (const bad of [off, new Uint8Array(1), new Uint8Array(0), key.publicKey.subarray(1)]) {
      expect(() => crypto.ecdsaVerify(curve, bad)).toThrow(refused)
    }
  })

  it('verifies with the public key as a compressed point', () => {
    const compressed = stock.getPublicKey(scalar, true)
    const digest = noise(32)
    expect(crypto.ecdsaVerify(curve, compressed).verifyDigest(key.signDigest(digest, noise(9)), digest)).toBe(true)
  })

  it.each([crypto, nodeCrypto()])('verifies message signatures with the backend $name', (backend) => {
    const firstKey = backend.ecdsaVerify(curve, key.publicKey)
    const compressed = backend.ecdsaVerify(curve, stock.getPublicKey(scalar, true))
    for (const hash of (['sha2-256', 'sha3-256', 'sha1', 'sha2-384', 'sha2-512'] as const).slice(0, some(1, 5))) {
      const message = noise(100, size)
      const good = key.signDigest(crypto.hash(hash).digest(message), noise(32))
      const other = good.slice()
      other.set(toBytes(order - toNumber(good.subarray(size)), size), size)
      for (const signature of [good, other]) {
        expect(firstKey.verifyMessage(signature, message, hash)).toBe(true)
        expect(compressed.verifyMessage(signature, message, hash)).toBe(true)
        expect(firstKey.verifyMessage(signature, message.subarray(1), hash)).toBe(false)
        expect(firstKey.verifyMessage(signature, message, 'sha2-224')).toBe(false)
      }
      expect(firstKey.verifyDigest(good, crypto.hash(hash).digest(message))).toBe(true)
      for (const bad of [
        good.subarray(1),
        new Uint8Array([...good, 0]),
        new Uint8Array(0),
        new Uint8Array(2 * size),
        good.map(() => 0xff),
      ])
        expect(firstKey.verifyMessage(bad, message, hash)).toBe(false)
    }
    const off = key.publicKey.with(size, key.publicKey[size]! ^ 1)
    for (const bad of [off, new Uint8Array(1), new Uint8Array(0), key.publicKey.subarray(1)])
      expect(() => backend.ecdsaVerify(curve, bad)).toThrow(refused)
  })

  it('keeps a copy of the scalar, and throws after it is wiped', () => {
    const lent = scalar.slice()
    const key = crypto.ecdsaSign(curve, lent)
    lent.fill(0)
    expect(verifier.verifyDigest(key.signDigest(noise(32), noise(1)), noise(32))).toBe(true)
    key.wipe()
    key.wipe()
    expect(() => key.signDigest(noise(32), noise(1))).toThrow(TypeError)
  })

  it('exports its public key as the same SPKI PEM as OpenSSL', () => {
    const pem = ecSpkiPem(curve, key.publicKey)
    expect(createPublicKey(pem).export({ type: 'spki', format: 'pem' })).toBe(pem)
    expect(() => ecSpkiPem(curve, key.publicKey.subarray(1))).toThrow(TypeError)
  })

  it('derives the same public key as OpenSSL', () => {
    const [x, y] = [key.publicKey.subarray(1, 1 + size), key.publicKey.subarray(1 + size)].map((n) =>
      Buffer.from(n).toString('base64url'),
    )
    const jwk = { kty: 'EC', crv: curve as CurveName, d: Buffer.from(scalar).toString('base64url'), x: x!, y: y! }
    const pem = createPublicKey(createPrivateKey({ key: jwk, format: 'jwk' })).export({ type: 'spki', format: 'pem' })
    expect(pem).toBe(ecSpkiPem(curve, key.publicKey))
    const digest = crypto.hash('sha2-256').digest(noise(10))
    expect(
      verify('sha256', noise(10), { key: createPublicKey(pem), dsaEncoding: 'ieee-p1363' }, key.signDigest(digest, noise(2))),
    ).toBe(true)
  })
})
