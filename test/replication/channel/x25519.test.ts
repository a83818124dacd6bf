import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { x25519Agree, x25519PublicKey } from '../../../src/core/crypto/x25519.ts'
import { hex, unhex } from '../../vectors/load.ts'
import { LOW_ORDER, pair } from './ends.ts'

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

const PKCS8 = unhex('302e020100300506032b656e04220420')
const SPKI = unhex('302a300506032b656e032100')

function agreeByOpenssl(secretKey: Uint8Array, publicKey: Uint8Array): string {
  return diffieHellman({
    privateKey: createPrivateKey({ key: Buffer.concat([PKCS8, secretKey]), format: 'der', type: 'pkcs8' }),
    publicKey: createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' }),
  }).toString('hex')
}

describe('X25519', () => {
  it('gives the keys and the secret of RFC 7748', () => {
    expect(hex(x25519PublicKey(ALICE.secret))).toBe(ALICE.public)
    expect(hex(x25519PublicKey(BOB.secret))).toBe(BOB.public)
    expect(hex(x25519Agree(ALICE.secret, unhex(BOB.public))!)).toBe(SHARED)
    expect(hex(x25519Agree(BOB.secret, unhex(ALICE.public))!)).toBe(SHARED)
  })

  it('agrees with OpenSSL', () => {
    for (let i = 0; i < 50; i++) {
      const one = pair()
      const two = pair()
      expect(hex(one.agree(two.publicKey)!)).toBe(agreeByOpenssl(one.copySecretKey(), two.publicKey))
    }
  })

  it('gives no secret for a key of low order, also with the bit that does not count, or for another length', () => {
    for (const low of LOW_ORDER) {
      expect(pair().agree(low)).toBeUndefined()
      expect(pair().agree(low.with(31, low[31]! | 0x80))).toBeUndefined()
    }
    for (const length of [0, 31, 33, 64]) expect(pair().agree(new Uint8Array(length).fill(9))).toBeUndefined()
  })
})
