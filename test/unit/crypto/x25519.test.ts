import { createPrivateKey, createPublicKey, diffieHellman, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BACKENDS, PAIRS } from '../../fixtures/backends.ts'
import { runs } from '../../fixtures/runs.ts'
import { LOW_ORDER } from '../../replication/channel/ends.ts'
import { hex, unhex } from '../../vectors/load.ts'

/** RFC 7748 section 6.1. */
const ALICE = {
  secret: unhex('77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a'),
  public: '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
}
const BOB = {
  secret: unhex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'),
  public: 'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f',
}
const SHARED = '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742'

/** RFC 7748 section 5.2. The unused high bit of the second coordinate is set. */
const PRODUCTS = [
  [
    'a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4',
    'e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c',
    'c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552',
  ],
  [
    '4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d',
    'e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493',
    '95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957',
  ],
] as const

/** RFC 7748 section 5.2, by the number of iterations. */
const ITERATED: Readonly<Record<number, string>> = {
  1: '422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079',
  1000: '684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51',
}

const PKCS8 = unhex('302e020100300506032b656e04220420')
const SPKI = unhex('302a300506032b656e032100')

function agreeByOpenssl(secretKey: Uint8Array, publicKey: Uint8Array): string {
  return diffieHellman({
    privateKey: createPrivateKey({ key: Buffer.concat([PKCS8, secretKey]), format: 'der', type: 'pkcs8' }),
    publicKey: createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' }),
  }).toString('hex')
}

describe.each(BACKENDS)('X25519 of the backend $name', (crypto) => {
  it('computes the public keys and shared secret of RFC 7748', () => {
    const alice = crypto.x25519(ALICE.secret)
    const bob = crypto.x25519(BOB.secret)
    expect(hex(alice.publicKey)).toBe(ALICE.public)
    expect(hex(bob.publicKey)).toBe(BOB.public)
    expect(hex(alice.agree(bob.publicKey)!)).toBe(SHARED)
    expect(hex(bob.agree(alice.publicKey)!)).toBe(SHARED)
  })

  it.each(PRODUCTS)('multiplies by the scalar %s as in RFC 7748', (scalar, u, product) => {
    expect(hex(crypto.x25519(unhex(scalar)).agree(unhex(u))!)).toBe(product)
  })

  const times = crypto.name.startsWith('noble') ? runs({ quick: 1, soak: 1_000 }) : 1_000
  it(`returns the result of RFC 7748 after ${times} iterated multiplications`, () => {
    let u = new Uint8Array(32).fill(9, 0, 1)
    let scalar = u
    for (let i = 0; i < times; i++) [scalar, u] = [crypto.x25519(scalar).agree(u)!, scalar] as [typeof u, typeof u]
    expect(hex(scalar)).toBe(ITERATED[times])
  })

  it('computes the same shared secrets as OpenSSL for random keys', () => {
    for (let i = 0; i < runs({ quick: 10, soak: 500 }); i++) {
      const secret = randomBytes(32)
      const otherKey = crypto.x25519(randomBytes(32))
      expect(hex(crypto.x25519(secret).agree(otherKey.publicKey)!)).toBe(agreeByOpenssl(secret, otherKey.publicKey))
    }
  })

  it('returns undefined for a point of low order, whatever its high bit, and for a wrong length', () => {
    const key = crypto.x25519(randomBytes(32))
    for (const low of LOW_ORDER) {
      expect(key.agree(low)).toBeUndefined()
      expect(key.agree(low.with(31, low[31]! | 0x80))).toBeUndefined()
    }
    for (const length of [0, 31, 33, 64]) expect(key.agree(new Uint8Array(length).fill(9))).toBeUndefined()
  })

  it('accepts a coordinate that is not reduced modulo the prime', () => {
    // p + 9 is a non-canonical encoding of the base point.
    const unreduced = unhex('f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f')
    const key = crypto.x25519(ALICE.secret)
    expect(hex(key.agree(unreduced)!)).toBe(ALICE.public)
  })

  it('is not affected if the caller overwrites the secret key or a result, and throws after it is wiped', () => {
    const secret = Uint8Array.from(ALICE.secret)
    const key = crypto.x25519(secret)
    secret.fill(0)
    const shared = key.agree(unhex(BOB.public))!
    expect(hex(shared)).toBe(SHARED)
    shared.fill(0)
    expect(hex(key.agree(unhex(BOB.public))!)).toBe(SHARED)
    key.wipe()
    key.wipe()
    expect(() => key.agree(unhex(BOB.public))).toThrow(TypeError)
  })

  it('refuses secret keys of the wrong length', () => {
    for (const length of [0, 31, 33]) expect(() => crypto.x25519(new Uint8Array(length))).toThrow(TypeError)
  })
})

describe.each(PAIRS.map(({ from, to }) => ({ name: `${from.name} with ${to.name}`, from, to })))(
  'X25519 of $name',
  ({ from, to }) => {
    it('computes the same shared secret on both sides', () => {
      const firstKey = from.x25519(randomBytes(32))
      const secondKey = to.x25519(randomBytes(32))
      expect(firstKey.agree(secondKey.publicKey)).toEqual(secondKey.agree(firstKey.publicKey))
    })
  },
)
