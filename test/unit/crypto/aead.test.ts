import { createCipheriv } from 'node:crypto'
import { gcm } from '@noble/ciphers/aes.js'
import { chacha20poly1305, xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { describe, expect, it } from 'vitest'
import { SLICE_BYTES } from '../../../src/core/base/steps.ts'
import type { AeadKey, AeadName, CryptoBackend } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { counted, driven, expectBytes, measured, noise, RUNS } from './steps.ts'

const STOCK = { 'aes-gcm': gcm, 'chacha20-poly1305': chacha20poly1305, 'xchacha20-poly1305': xchacha20poly1305 } as const

const ALGORITHMS = [
  ['aes-gcm', 16],
  ['aes-gcm', 32],
  ['chacha20-poly1305', 32],
  ['xchacha20-poly1305', 32],
] as const satisfies readonly (readonly [AeadName, number])[]

const NOTHING = new Uint8Array(0)

const NOBLE = nobleCrypto({ accelerate: false })

/** Sizes around the block, the scratch buffer, the slice and the GHASH table limit. The last one is the piece size of node:crypto. */
const BORDERS = [
  0,
  1,
  15,
  16,
  17,
  63,
  64,
  65,
  4_095,
  4_096,
  4_097,
  24_576,
  65_535,
  65_536,
  65_537,
  SLICE_BYTES,
  SLICE_BYTES + 1,
  1_048_576,
]

function sealed(key: AeadKey, nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Uint8Array {
  const out = new Uint8Array(plaintext.length + 16)
  key.seal(nonce, plaintext, aad, out, 0)
  return out
}

/** False if the default backend only forwards to noble, which the list already has. */
const isOwn = (crypto: CryptoBackend, name: AeadName): boolean => crypto !== BACKENDS[0] || name === 'aes-gcm'

/** More than two pieces of 2 MiB for node:crypto, or several slices for the slower noble libraries. */
const longFor = (crypto: CryptoBackend): number => (crypto.name === 'noble' ? 5 * SLICE_BYTES : 4_300_000)

const cases = BACKENDS.flatMap((crypto) =>
  ALGORITHMS.filter(([name]) => isOwn(crypto, name)).map(([name, bytes]) => ({
    crypto,
    name,
    bytes,
    title: `${crypto.name} ${name} ${8 * bytes}`,
  })),
)

describe.each(cases)('AEAD $title', ({ crypto, name, bytes }) => {
  const keyBytes = noise(bytes, 3)
  const long = longFor(crypto)
  const key = crypto.aead(name, keyBytes)
  const nonce = noise(key.nonceBytes, 5)
  const arbitrary = fc.record({
    key: fc.uint8Array({ minLength: bytes, maxLength: bytes }),
    nonce: fc.uint8Array({ minLength: key.nonceBytes, maxLength: key.nonceBytes }),
    plaintext: fc.uint8Array({ maxLength: 700 }),
    aad: fc.uint8Array({ maxLength: 100 }),
  })

  it('decrypts a ciphertext that begins at an offset into the buffer', () => {
    fc.assert(
      fc.property(arbitrary, fc.nat(40), (x, from) => {
        const key = crypto.aead(name, x.key)
        const whole = new Uint8Array(from + x.plaintext.length + 16).fill(0xa5)
        key.seal(x.nonce, x.plaintext, x.aad, whole, from)
        expectBytes(key.open(x.nonce, whole, x.aad, from), x.plaintext)
        expect(key.open(x.nonce, whole, x.aad, from + x.plaintext.length + 1)).toBeUndefined()
        whole[from + (x.plaintext.length >> 1)]! ^= 1
        expect(key.open(x.nonce, whole, x.aad, from)).toBeUndefined()
      }),
      { numRuns: RUNS },
    )
  })

  it('returns the same ciphertexts as the noble library, and decrypts them', () => {
    fc.assert(
      fc.property(arbitrary, (x) => {
        const key = crypto.aead(name, x.key)
        const ciphertext = sealed(key, x.nonce, x.plaintext, x.aad)
        expectBytes(ciphertext, STOCK[name](x.key, x.nonce, x.aad).encrypt(x.plaintext))
        expectBytes(key.open(x.nonce, ciphertext, x.aad), x.plaintext)
      }),
      { numRuns: RUNS },
    )
  })

  it('refuses a flipped bit in ciphertext, tag, additional data or nonce', () => {
    const parts = fc.constantFrom('sealed', 'aad', 'nonce')
    fc.assert(
      fc.property(arbitrary, parts, fc.nat(), (x, part, position) => {
        const key = crypto.aead(name, x.key)
        const all = { sealed: sealed(key, x.nonce, x.plaintext, x.aad), aad: x.aad.slice(), nonce: x.nonce.slice() }
        const target = all[part as keyof typeof all]
        fc.pre(target.length > 0)
        const bit = position % (8 * target.length)
        target[bit >> 3]! ^= 1 << (bit & 7)
        expect(key.open(all.nonce, all.sealed, all.aad)).toBeUndefined()
      }),
      { numRuns: 3 * RUNS },
    )
  })

  it('refuses a truncated tag and inputs shorter than a tag', async () => {
    const whole = sealed(key, nonce, noise(40), NOTHING)
    for (let cut = 1; cut <= 56; cut++) expect(key.open(nonce, whole.subarray(0, 56 - cut), NOTHING)).toBeUndefined()
    expect(await driven(key.openSteps(nonce, NOTHING, NOTHING))).toBeUndefined()
  })

  it.each(BORDERS.slice(0, crypto.name === 'node' ? BORDERS.length : runs({ quick: BORDERS.length - 1, soak: BORDERS.length })))(
    'encrypts and decrypts %i bytes equally in one call, in steps and with the noble library',
    async (size) => {
      const plaintext = noise(size, 9)
      const aad = noise(13)
      const expected = STOCK[name](keyBytes, nonce, aad).encrypt(plaintext)
      const out = new Uint8Array(size + 16)
      const { yields } = await counted(key.sealSteps(nonce, plaintext, aad, out, 0))
      expect(Buffer.compare(sealed(key, nonce, plaintext, aad), expected)).toBe(0)
      expect(Buffer.compare(out, expected)).toBe(0)
      expect(Buffer.compare(key.open(nonce, expected, aad)!, plaintext)).toBe(0)
      expect(Buffer.compare((await driven(key.openSteps(nonce, expected, aad)))!, plaintext)).toBe(0)
      if (crypto.name === 'noble' && size > SLICE_BYTES) expect(yields).toBeGreaterThan(0)
      expected[size >> 1]! ^= 1
      expect(key.open(nonce, expected, aad)).toBeUndefined()
      expect(await driven(key.openSteps(nonce, expected, aad))).toBeUndefined()
    },
  )

  it('accepts long additional data in one call and in steps', async () => {
    const aad = noise(long)
    const expected = STOCK[name](keyBytes, nonce, aad).encrypt(noise(5))
    const out = new Uint8Array(21)
    expect((await counted(key.sealSteps(nonce, noise(5), aad, out, 0))).yields).toBeGreaterThan(0)
    expectBytes(out, expected)
    expectBytes(key.open(nonce, expected, aad), noise(5))
    expectBytes(await driven(key.openSteps(nonce, expected, aad)), noise(5))
  })

  it('writes only to the range of the output, at any alignment', () => {
    for (let at = 0; at < 8; at++) {
      const plaintext = new Uint8Array(noise(100).buffer, at, 77)
      const out = new Uint8Array(77 + 16 + 16).fill(0xee)
      key.seal(nonce, plaintext, NOTHING, out, at)
      expectBytes(out.subarray(at, at + 93), STOCK[name](keyBytes, nonce, NOTHING).encrypt(plaintext))
      expect([...out.subarray(0, at), ...out.subarray(at + 93)]).toEqual(Array(16).fill(0xee))
    }
  })

  it('encrypts correctly if several encryptions in steps are interleaved and one is abandoned', async () => {
    const plaintext = noise(300_000)
    const outs = [new Uint8Array(300_016), new Uint8Array(300_016)] as const
    const abandoned = key.sealSteps(nonce, plaintext, NOTHING, new Uint8Array(300_016), 0)
    abandoned.next()
    const [first, second] = outs.map((out) => key.sealSteps(nonce, plaintext, NOTHING, out, 0)) as [
      ReturnType<AeadKey['sealSteps']>,
      ReturnType<AeadKey['sealSteps']>,
    ]
    for (let done = false; !done; ) {
      const a = first.next()
      await a.value
      expectBytes(sealed(key, nonce, noise(50), NOTHING), STOCK[name](keyBytes, nonce, NOTHING).encrypt(noise(50)))
      const b = second.next()
      await b.value
      done = a.done === true && b.done === true
    }
    abandoned.return()
    const expected = STOCK[name](keyBytes, nonce, NOTHING).encrypt(plaintext)
    for (const out of outs) expect(Buffer.compare(out, expected)).toBe(0)
  })

  it('decrypts the verified bytes even if the caller overwrites the ciphertext between two steps', async () => {
    const size = long
    const plaintext = noise(size)
    const ciphertext = new Uint8Array(size + 16)
    key.seal(nonce, plaintext, NOTHING, ciphertext, 0)
    const steps = key.openSteps(nonce, ciphertext, NOTHING)
    // The first step may only yield.
    const first = steps.next()
    const begun = first.value === undefined ? steps.next() : first
    ciphertext.fill(0, 0, 1_000)
    await begun.value
    expect(Buffer.compare((await driven(steps))!, plaintext)).toBe(0)
  })

  it('refuses nonces and keys of the wrong length with a TypeError', () => {
    for (const length of [0, 8, key.nonceBytes - 1, key.nonceBytes + 1, 36 - key.nonceBytes]) {
      expect(() => sealed(key, new Uint8Array(length), NOTHING, NOTHING)).toThrow(TypeError)
      expect(() => key.open(new Uint8Array(length), new Uint8Array(16), NOTHING)).toThrow(TypeError)
    }
    for (const length of [0, 15, 24, 31, 33, 64]) expect(() => crypto.aead(name, new Uint8Array(length))).toThrow(TypeError)
  })

  it('throws from every call after it is wiped', () => {
    const lent = keyBytes.slice()
    const key = crypto.aead(name, lent)
    lent.fill(0)
    const ciphertext = sealed(key, nonce, noise(20), NOTHING)
    expectBytes(ciphertext, STOCK[name](keyBytes, nonce, NOTHING).encrypt(noise(20)))
    key.wipe()
    key.wipe()
    expect(() => sealed(key, nonce, NOTHING, NOTHING)).toThrow(TypeError)
    expect(() => key.open(nonce, ciphertext, NOTHING)).toThrow(TypeError)
    expect(() => key.sealSteps(nonce, NOTHING, NOTHING, new Uint8Array(16), 0).next()).toThrow(TypeError)
    expect(() => key.openSteps(nonce, ciphertext, NOTHING).next()).toThrow(TypeError)
  })

  it('throws from encryptions and decryptions in steps when the key is wiped in between', async () => {
    const longBytes = noise(long)
    const ciphertext = new Uint8Array(long + 16)
    key.seal(nonce, longBytes, NOTHING, ciphertext, 0)
    for (const [aad, message] of [
      [NOTHING, longBytes],
      [longBytes, NOTHING],
    ] as const) {
      const key = crypto.aead(name, keyBytes)
      const sealing = key.sealSteps(nonce, message, aad, new Uint8Array(message.length + 16), 0)
      const opening = key.openSteps(nonce, ciphertext, aad)
      const begun = [sealing.next(), opening.next()]
      key.wipe()
      for (const { value } of begun) await value
      await expect(driven(sealing)).rejects.toThrow(TypeError)
      await expect(driven(opening)).rejects.toThrow(TypeError)
    }
  })
})

describe('AEAD backends', () => {
  it.each(ALGORITHMS)(
    'have the same results as each other and node:crypto on random input: %s with a %i-byte key',
    async (name, bytes) => {
      await fc.assert(
        fc.asyncProperty(
          fc.uint8Array({ minLength: bytes, maxLength: bytes }),
          fc.nat(5_000),
          fc.nat(40),
          fc.nat(),
          async (keyBytes, size, aadSize, seed) => {
            const [first, ...others] = BACKENDS.map((crypto) => crypto.aead(name, keyBytes)) as [AeadKey, ...AeadKey[]]
            const nonce = noise(first.nonceBytes, seed)
            const plaintext = noise(size, seed + 1)
            const aad = noise(aadSize, seed + 2)
            const ciphertext = sealed(first, nonce, plaintext, aad)
            for (const key of others) {
              expectBytes(sealed(key, nonce, plaintext, aad), ciphertext)
              expectBytes(key.open(nonce, ciphertext, aad), plaintext)
            }
            for (const key of [first, ...others]) {
              const out = new Uint8Array(size + 16)
              await driven(key.sealSteps(nonce, plaintext, aad, out, 0))
              expectBytes(out, ciphertext)
              expectBytes(await driven(key.openSteps(nonce, ciphertext, aad)), plaintext)
            }
            if (name !== 'aes-gcm') return
            const cipher = createCipheriv(bytes === 16 ? 'aes-128-gcm' : 'aes-256-gcm', keyBytes, nonce, { authTagLength: 16 })
            cipher.setAAD(aad)
            expect(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])).toEqual(
              Buffer.from(ciphertext),
            )
          },
        ),
        { numRuns: RUNS },
      )
    },
  )

  it('yield at least once for each 64 KiB', () => {
    for (const [name, bytes] of ALGORITHMS) {
      const key = NOBLE.aead(name, noise(bytes))
      const plaintext = noise(8 * 65_536)
      const out = new Uint8Array(plaintext.length + 16)
      const nonce = noise(key.nonceBytes)
      const sealing = measured(key.sealSteps(nonce, plaintext, NOTHING, out, 0))
      const opening = measured(key.openSteps(nonce, out, NOTHING))
      // A slice of 64 KiB takes about the allowed 5 ms on an idle machine.
      expect(sealing.yields).toBeGreaterThanOrEqual(7)
      expect(opening.yields).toBeGreaterThanOrEqual(14)
    }
  })
})
