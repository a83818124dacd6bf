/** A key of the default backend has the results of noble, whichever cipher processes a message. */
import { describe, expect, it } from 'vitest'
import { nodeAesGcm } from '../../../src/adapters/crypto-node/aead-key.ts'
import { PlatformGcmKey } from '../../../src/core/crypto/accelerated/platform-gcm.ts'
import type { AeadKey } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { noise } from './steps.ts'

const NOTHING = new Uint8Array(0)
const NONCE = noise(12, 2)

/** A key whose platform cipher counts the messages that it processes. */
function counted(keyBytes: Uint8Array) {
  let count = 0
  const cipherOf = (bytes: Uint8Array): AeadKey => {
    const real = nodeAesGcm(bytes)
    return {
      nonceBytes: real.nonceBytes,
      shortBytes: real.shortBytes,
      seal: (...args) => {
        count++
        return real.seal(...args)
      },
      open: (...args) => {
        count++
        return real.open(...args)
      },
      sealSteps: (...args) => real.sealSteps(...args),
      openSteps: (...args) => real.openSteps(...args),
      wipe: () => real.wipe(),
    }
  }
  return { key: new PlatformGcmKey(keyBytes, cipherOf, 262_144), used: () => count }
}

describe.each([16, 32])('a key of %i bytes', (bytes) => {
  it.each([0, 1, 112, 113, 128, 129, 5_000])('has the results of noble for %i bytes', (size) => {
    const { key } = counted(noise(bytes))
    const noble = nobleCrypto({ accelerate: false }).aead('aes-gcm', noise(bytes))
    const text = noise(size, 5)
    const aad = noise(9, 6)
    const expected = new Uint8Array(size + 16)
    noble.seal(NONCE, text, aad, expected, 0)
    for (let use = 0; use < 3; use++) {
      const out = new Uint8Array(size + 16)
      key.seal(NONCE, text, aad, out, 0)
      expect(Buffer.compare(out, expected)).toBe(0)
      expect(Buffer.compare(key.open(NONCE, out, aad)!, text)).toBe(0)
      out[0]! ^= 1
      expect(key.open(NONCE, out, aad)).toBeUndefined()
    }
  })

  it('uses the platform for all messages that are not short', () => {
    const { key, used } = counted(noise(bytes))
    const seal = (size: number) => key.seal(NONCE, noise(size), NOTHING, new Uint8Array(size + 16), 0)
    for (let use = 0; use < 5; use++) seal(128)
    expect(used()).toBe(0)
    for (let use = 0; use < 5; use++) seal(129)
    expect(used()).toBe(5)
  })

  it.each([0, 40])('throws after it is wiped, if it was used %i times before', (uses) => {
    const { key } = counted(noise(bytes))
    const out = new Uint8Array(20)
    for (let use = 0; use < uses; use++) key.seal(NONCE, noise(4), NOTHING, out, 0)
    key.wipe()
    for (let use = 0; use < 40; use++) expect(() => key.seal(NONCE, noise(4), NOTHING, out, 0)).toThrow(TypeError)
    expect(() => key.open(NONCE, out, NOTHING)).toThrow(TypeError)
  })
})
