/** Hash functions and HMAC of the default backend have the results of noble, whichever implementation processes a message. */
import { describe, expect, it } from 'vitest'
import { NodeHmacKey, nodeHash } from '../../../src/adapters/crypto-node/hash.ts'
import { platform } from '../../../src/adapters/platform-node/subtle.ts'
import { accelerated } from '../../../src/core/crypto/accelerated/index.ts'
import type { PlatformHashes, WebCryptoPlatform } from '../../../src/core/crypto/accelerated/subtle.ts'
import type { HashName } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { OPENSSL_NAMES } from '../../../src/core/crypto/openssl-names.ts'
import { driven, noise } from './steps.ts'

const NOBLE = nobleCrypto({ accelerate: false })
const NAMES = Object.keys(OPENSSL_NAMES) as HashName[]
const SIZES = [0, 1, 127, 128, 129, 2_048, 2_049, 40_000, 1_100_000]

/** The default backend, and the messages that its platform processes. */
function watched(changed: Partial<PlatformHashes> = {}) {
  const lengths: number[] = []
  const hashes: PlatformHashes = {
    has: () => true,
    hash: (name) => ({
      ...nodeHash(name),
      digest(data) {
        lengths.push(data.length)
        return nodeHash(name).digest(data)
      },
    }),
    hmac(hash, key) {
      const real = new NodeHmacKey(hash, key)
      return {
        mac(data) {
          lengths.push(data.length)
          return real.mac(data)
        },
        macText: (data) => real.macText(data),
        macSteps: (data) => real.macSteps(data),
        wipe: () => real.wipe(),
      }
    },
    shortBytes: 128,
    ...changed,
  }
  return { crypto: accelerated(NOBLE, { ...(platform as WebCryptoPlatform), hashes }), lengths }
}

describe.each(NAMES)('%s', (name) => {
  it.each(SIZES)('has the results of noble for %i bytes', async (size) => {
    const [own, noble, data] = [nobleCrypto().hash(name), NOBLE.hash(name), noise(size)]
    expect([own.name, own.length, own.blockBytes]).toEqual([name, noble.length, noble.blockBytes])
    const expected = Buffer.from(noble.digest(data))
    expect(Buffer.compare(own.digest(data), expected)).toBe(0)
    expect(Buffer.compare(await driven(own.digestSteps(data)), expected)).toBe(0)
    for (const keyBytes of [0, 32, 200]) {
      const [mac, ofNoble] = [nobleCrypto().hmac(name, noise(keyBytes, 4)), NOBLE.hmac(name, noise(keyBytes, 4))]
      const tag = Buffer.from(ofNoble.mac(data))
      expect(Buffer.compare(mac.mac(data), tag)).toBe(0)
      expect(mac.macText(data)).toBe(tag.toString('base64'))
      expect(Buffer.compare(await driven(mac.macSteps(data)), tag)).toBe(0)
    }
  })
})

it('messages that are not short use the platform', () => {
  const { crypto, lengths } = watched()
  const mac = crypto.hmac('sha2-256', noise(32))
  for (const size of [0, 128, 129, 5_000]) {
    crypto.hash('sha2-256').digest(noise(size))
    mac.mac(noise(size))
  }
  expect(lengths).toEqual([129, 129, 5_000, 5_000])
})

it('a hash function that the platform lacks is computed by noble', () => {
  const { crypto, lengths } = watched({ has: (name) => name !== 'sha3-256' })
  const data = noise(5_000)
  expect(crypto.hash('sha3-256').digest(data)).toEqual(NOBLE.hash('sha3-256').digest(data))
  expect(crypto.hmac('sha3-256', noise(32)).mac(data)).toEqual(NOBLE.hmac('sha3-256', noise(32)).mac(data))
  expect(lengths).toEqual([])
})

it.each([0, 1])('a key throws after it is wiped, if it was used %i times before', (uses) => {
  const mac = nobleCrypto().hmac('sha2-512', noise(32))
  for (let use = 0; use < uses; use++) for (const size of [10, 1_000]) mac.mac(noise(size))
  mac.wipe()
  for (const size of [10, 1_000]) {
    expect(() => mac.mac(noise(size))).toThrow(TypeError)
    expect(() => mac.macText(noise(size))).toThrow(TypeError)
    expect(() => [...(mac.macSteps(noise(size)) as Generator)]).toThrow(TypeError)
  }
})

it('a key does not depend on the bytes of the caller after it was created', () => {
  const bytes = noise(32)
  const mac = nobleCrypto().hmac('sha2-256', bytes)
  bytes.fill(0)
  const expected = NOBLE.hmac('sha2-256', noise(32))
  for (const size of [10, 1_000]) expect(mac.mac(noise(size))).toEqual(expected.mac(noise(size)))
})
