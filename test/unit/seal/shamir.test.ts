/**
 * Compares Shamir shares with another implementation in both directions, with shares from OpenBao, and the arithmetic with published
 * tables.
 */
import { createHash } from 'node:crypto'
import * as peer from 'shamir-secret-sharing'
import { describe, expect, it } from 'vitest'
import { invert, multiply } from '../../../src/core/crypto/shamir/gf256.ts'
import { combine, split } from '../../../src/core/crypto/shamir/shamir.ts'
import { type Entropy, systemEntropy } from '../../../src/index.ts'
import { seededEntropy } from '../../../src/testing/index.ts'
import fc from '../../fixtures/fast-check.ts'
import { describeWithShared, readSharedJson } from '../../fixtures/shared-data.ts'

const GOLDEN = 'transcripts/openbao/golden/shares.json'
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const sha256 = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest())

/** Returns the scripted bytes in order for requests of their length, and random bytes otherwise. */
function scripted(length: number, values: readonly Uint8Array[]): Entropy {
  const left = [...values]
  const entropy = systemEntropy()
  return { bytes: (n) => (n === length ? (left.shift() ?? entropy.bytes(n)).slice() : entropy.bytes(n)) }
}

describe('the arithmetic in GF(2^8) of Shamir shares', () => {
  it('multiplies as FIPS 197 specifies', () => {
    expect([multiply(3, 7), multiply(3, 0), multiply(0, 3)]).toEqual([9, 0, 0])
    // FIPS 197, section 4.2.
    expect([multiply(0x57, 0x83), multiply(0x57, 0x13)]).toEqual([0xc1, 0xfe])
  })

  it('inverts every element except 0, whose inverse is 0', () => {
    for (let a = 1; a < 256; a++) expect(multiply(a, invert(a))).toBe(1)
    expect(invert(0)).toBe(0)
    // 6 / 3 = 2
    expect(multiply(6, invert(3))).toBe(2)
  })
})

describe('split and combine', () => {
  // Computed from the formula of the documented format, and checked against two implementations.
  it.each([
    {
      secret: hex('74657374'),
      coefficients: [hex('10203040'), hex('01020304')],
      shares: ['6547403001', '502d1fe402', '410f2ca003'],
    },
    {
      secret: sha256('secret'),
      coefficients: [sha256('coefficient-1'), sha256('coefficient-2')],
      shares: [
        'dce984e458a91c730a7770b69e245600c21b9cbd2c20dd05914ec71a3fca27fb01',
        '2521a41f5a6e71480713d36f6353fe453040243c1d06ecfe1bdd6e80296e239102',
        '0e33c305dc8d44e60f3baf76d191f1c4c1c820f48d425bf8ca76219214f3e44f53',
        'b62d6208e28407d70c0c1ad2d27c1f09c04e9363c9b43a97ea8e534ed8704d1dca',
        'd044e83ec612e1086c24d034dd80120de046490d478214b22d0fd99166c20ed0ff',
      ],
    },
  ])('produce the known shares of $shares.0', ({ secret, coefficients, shares }) => {
    const made = split(secret, 255, 3, scripted(secret.length, coefficients)).map(toHex)
    expect(made).toEqual(expect.arrayContaining([...shares]))
    expect(combine(shares.slice(-3).map(hex))).toEqual(secret)
  })

  it('recover the secret for every threshold up to 255', () => {
    const entropy = seededEntropy('thresholds')
    for (let threshold = 2; threshold <= 255; threshold++) {
      const secret = entropy.bytes(2)
      const shares = split(secret, 255, threshold, entropy)
      expect(new Set(shares.map((share) => share[2])).size).toBe(255)
      expect(combine(shares.slice(255 - threshold))).toEqual(secret)
      if (threshold % 50 === 0) expect(combine(shares)).toEqual(secret)
    }
  })

  it('recover the secret from any shares in any order, but only if they reach the threshold', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 40 }),
        fc.integer({ min: 2, max: 12 }).chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 2, max: n }), fc.nat())),
        (secret, [shares, threshold, seed]) => {
          const entropy = seededEntropy(`${seed}`)
          const all = split(secret, shares, threshold, entropy)
          const some = all.toSorted(() => entropy.bytes(1)[0]! - 128).slice(0, threshold)
          expect(combine(some)).toEqual(secret)
          if (threshold > 2) expect(combine(some.slice(1))).not.toEqual(secret)
        },
      ),
    )
  })

  it('use every x coordinate equally often', () => {
    const entropy = seededEntropy('places')
    const counts = new Array<number>(256).fill(0)
    for (let i = 0; i < 10_000; i++)
      for (const share of split(hex('00'), 5, 2, entropy)) counts[share[1] as number] = (counts[share[1] as number] as number) + 1
    expect(counts[0]).toBe(0)
    const expected = 50_000 / 255
    const chiSquare = counts.slice(1).reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    // With 254 degrees of freedom the mean is 254, and six standard deviations are 135.
    expect(chiSquare).toBeLessThan(254 + 135)
    expect(chiSquare).toBeGreaterThan(254 - 135)
  })

  it('recover secrets from shares of an independent implementation, which recovers secrets from their shares', async () => {
    for (const [shares, threshold] of [
      [2, 2],
      [5, 3],
      [10, 10],
      [255, 7],
    ] as const) {
      const secret = systemEntropy().bytes(32)
      const ownShares = split(secret, shares, threshold, systemEntropy())
      expect(await peer.combine(ownShares.slice(0, threshold))).toEqual(secret)
      const peerShares = await peer.split(secret, shares, threshold)
      expect(combine(peerShares.slice(shares - threshold))).toEqual(secret)
    }
  })
})

describeWithShared(GOLDEN, 'split and combine with shares recorded from OpenBao', () => {
  const golden = readSharedJson<Golden>(GOLDEN)

  it('multiply and divide field elements as OpenBao does', () => {
    const products = new Uint8Array(65_536)
    const quotients: number[] = []
    for (let a = 0; a < 256; a++)
      for (let b = 0; b < 256; b++) {
        products[a * 256 + b] = multiply(a, b)
        if (b > 0) quotients.push(multiply(a, invert(b)))
      }
    expect(createHash('sha256').update(products).digest('hex')).toBe(golden.multiplication_sha256)
    expect(createHash('sha256').update(Uint8Array.from(quotients)).digest('hex')).toBe(golden.division_sha256)
  })

  it('recover the same secret as OpenBao from correct, wrong or too few shares', () => {
    expect(golden.split.length).toBeGreaterThan(5)
    for (const { n, k, secret, shares, combines } of golden.split) {
      for (let from = 0; from + k <= shares.length; from++) {
        const some = shares.slice(from, from + k).map(hex)
        expect([n, k, from, toHex(combine(some))]).toEqual([n, k, from, secret])
      }
      for (const { what, shares: encodedShares, secret: expected, error } of combines) {
        const parts = encodedShares.map(hex)
        if (error) expect(() => combine(parts), what).toThrow(expect.objectContaining({ status: 400 }))
        else expect(toHex(combine(parts)), what).toBe(expected)
      }
    }
  })

  it('refuse the inputs that OpenBao refuses', () => {
    for (const { what, shares } of golden.refused)
      expect(() => combine(shares.map(hex)), what).toThrow(expect.objectContaining({ status: 400 }))
    for (const { secret_bytes, n, k } of golden.split_refused)
      expect(() => split(new Uint8Array(secret_bytes), n, k, systemEntropy()), `${k} of ${n}`).toThrow(
        expect.objectContaining({ status: 400 }),
      )
  })
})

interface Golden {
  readonly multiplication_sha256: string
  readonly division_sha256: string
  readonly split: readonly {
    readonly n: number
    readonly k: number
    readonly secret: string
    readonly shares: readonly string[]
    readonly combines: readonly {
      readonly what: string
      readonly shares: readonly string[]
      readonly secret?: string
      readonly error?: string
    }[]
  }[]
  readonly refused: readonly { readonly what: string; readonly shares: readonly string[] }[]
  readonly split_refused: readonly { readonly secret_bytes: number; readonly n: number; readonly k: number }[]
}
