import { chacha20 } from '@noble/ciphers/chacha.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { seededEntropy } from '../../../src/testing/index.ts'

describe('seededEntropy', () => {
  it('returns the same bytes for the same seed, and others for another seed', () => {
    const [a, b, c] = [seededEntropy('seed'), seededEntropy('seed'), seededEntropy('seed ')]
    const bytes = a.bytes(64)
    expect(b.bytes(64)).toEqual(bytes)
    expect(c.bytes(64)).not.toEqual(bytes)
    expect(a.bytes(64)).not.toEqual(bytes)
    expect(seededEntropy(7).bytes(8)).toEqual(seededEntropy('7').bytes(8))
    expect(seededEntropy(new Uint8Array([55])).bytes(8)).toEqual(seededEntropy('7').bytes(8))
  })

  it('returns the same stream of bytes, whatever the sizes of the draws', () => {
    const whole = seededEntropy(1).bytes(10_000)
    const parts = seededEntropy(1)
    const drawn = [0, 1, 31, 4000, 5000, 968].map((n) => parts.bytes(n))
    expect(Buffer.concat(drawn)).toEqual(Buffer.from(whole))
  })

  it('returns the ChaCha20 key stream under the SHA-256 hash of the seed', () => {
    const stream = chacha20(sha256(new TextEncoder().encode('seed')), new Uint8Array(12), new Uint8Array(32))
    expect(seededEntropy('seed').bytes(32)).toEqual(stream)
  })

  it('returns arrays that share no buffer', () => {
    const entropy = seededEntropy('seed')
    const [a, b] = [entropy.bytes(8), entropy.bytes(8)]
    expect(a.buffer).not.toBe(b.buffer)
    expect(a.buffer.byteLength).toBe(8)
  })
})
