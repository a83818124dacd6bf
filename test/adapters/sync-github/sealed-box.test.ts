import sodium from 'libsodium-wrappers'
import { beforeAll, describe, expect, it } from 'vitest'
import { SEALED_BOX_OVERHEAD, sealBox } from '../../../src/core/crypto/sealed-box.ts'
import { seededEntropy } from '../../../src/testing/index.ts'
import fc from '../../fixtures/fast-check.ts'

const entropy = seededEntropy('sealed boxes')

beforeAll(() => sodium.ready)

describe('sealBox', () => {
  it('creates boxes that libsodium opens, for any message and any public key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.uint8Array({ minLength: 32, maxLength: 32 }), (message, seed) => {
        const { publicKey, privateKey } = sodium.crypto_box_seed_keypair(seed)
        const box = sealBox(message, publicKey, entropy)!
        expect(box.length).toBe(message.length + sodium.crypto_box_SEALBYTES)
        expect([...sodium.crypto_box_seal_open(box, publicKey, privateKey)]).toEqual([...message])
      }),
      { numRuns: 30 },
    )
    expect(SEALED_BOX_OVERHEAD).toBe(sodium.crypto_box_SEALBYTES)
  })

  it('creates a different box each time, and no other key opens the box', () => {
    const { publicKey, privateKey } = sodium.crypto_box_keypair()
    const message = new TextEncoder().encode('the same message')
    const [one, other] = [sealBox(message, publicKey, entropy)!, sealBox(message, publicKey, entropy)!]
    expect(sodium.to_hex(one.subarray(0, 32))).not.toBe(sodium.to_hex(other.subarray(0, 32)))
    expect(sodium.to_hex(one.subarray(32))).not.toBe(sodium.to_hex(other.subarray(32)))
    const stranger = sodium.crypto_box_keypair()
    expect(() => sodium.crypto_box_seal_open(one, stranger.publicKey, stranger.privateKey)).toThrow()
    expect(() =>
      sodium.crypto_box_seal_open(
        one.map((byte, i) => (i === 40 ? byte ^ 1 : byte)),
        publicKey,
        privateKey,
      ),
    ).toThrow()
  })

  it('accepts a key that is part of a larger buffer, and wipes the ephemeral private key', () => {
    const { publicKey, privateKey } = sodium.crypto_box_keypair()
    const larger = new Uint8Array(100)
    larger.set(publicKey, 7)
    const drawn: Uint8Array[] = []
    const watched = {
      bytes(n: number) {
        const bytes = entropy.bytes(n)
        drawn.push(bytes)
        return bytes
      },
    }
    const box = sealBox(Uint8Array.of(1, 2, 3), larger.subarray(7, 39), watched)!
    expect([...sodium.crypto_box_seal_open(box, publicKey, privateKey)]).toEqual([1, 2, 3])
    expect(drawn.map((bytes) => [...bytes])).toEqual([Array(32).fill(0)])
  })

  it('returns undefined for a key of low order or of a wrong length', () => {
    for (const key of [new Uint8Array(32), Uint8Array.from([1, ...Array(31).fill(0)]), new Uint8Array(31), new Uint8Array(0)])
      expect(sealBox(Uint8Array.of(1), key, entropy)).toBeUndefined()
  })
})
