import { createCipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CipherState } from '../../../../src/sys/replication/channel/noise/cipher-state.ts'
import { trackedCrypto } from '../../../security/recording.ts'
import { BACKENDS, bytesOf, spoiled } from '../ends.ts'

const KEY = new Uint8Array(32).fill(7)
const AD = bytesOf('additional data')

function reference(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, ad = AD): Uint8Array {
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
  cipher.setAAD(ad, { plaintextLength: plaintext.length })
  return Uint8Array.from(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]))
}

const nonceOf = (nonce: bigint): Uint8Array => {
  const bytes = Buffer.alloc(12)
  bytes.writeBigUInt64LE(nonce, 4)
  return bytes
}

function encrypted(state: CipherState, nonce: number, plaintext: Uint8Array, ad = AD): Uint8Array {
  const out = new Uint8Array(plaintext.length + 16)
  state.encryptWithAd(nonce, ad, plaintext, out, 0)
  return out
}

describe.each(BACKENDS)('a cipher state with $name', (crypto) => {
  it('has a nonce of four zero bytes and a 64-bit little-endian number', () => {
    const state = new CipherState(crypto, KEY)
    for (const nonce of [0, 1, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 5, Number.MAX_SAFE_INTEGER])
      expect(encrypted(state, nonce, bytesOf('text'))).toEqual(reference(KEY, nonceOf(BigInt(nonce)), bytesOf('text')))
  })

  it('derives the next key from the ciphertext of 32 zero bytes under the nonce 2^64 - 1', () => {
    let key: Uint8Array = KEY
    let state = new CipherState(crypto, KEY)
    for (let epoch = 0; epoch < 3; epoch++) {
      key = reference(key, nonceOf(2n ** 64n - 1n), new Uint8Array(32), new Uint8Array(0)).subarray(0, 32)
      state = state.rekeyed()
      expect(encrypted(state, 3, bytesOf('text'))).toEqual(reference(key, nonceOf(3n), bytesOf('text')))
    }
  })

  it('refuses a ciphertext after any change of it, of the nonce or of the additional data', () => {
    for (const state of [new CipherState(crypto, KEY), new CipherState(crypto, KEY).rekeyed()]) {
      const ciphertext = encrypted(state, 5, bytesOf('text'))
      for (const changed of spoiled(ciphertext)) expect(state.decryptWithAd(5, AD, changed)).toBeUndefined()
      for (const changed of spoiled(AD)) expect(state.decryptWithAd(5, changed, ciphertext)).toBeUndefined()
      for (const nonce of [0, 4, 6, 2 ** 32 + 5]) expect(state.decryptWithAd(nonce, AD, ciphertext)).toBeUndefined()
      expect(state.decryptWithAd(5, AD, ciphertext)).toEqual(bytesOf('text'))
    }
  })

  it('refuses nonces that a number cannot represent exactly', () => {
    const state = new CipherState(crypto, KEY)
    for (const nonce of [2 ** 53, 2 ** 64 - 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => encrypted(state, nonce, bytesOf('text'))).toThrow(RangeError)
      expect(() => state.decryptWithAd(nonce, AD, new Uint8Array(16))).toThrow(RangeError)
    }
  })
})

it('rekeyed leaves its cipher state unchanged, and returns a new state that is wiped independently', () => {
  const crypto = trackedCrypto()
  const state = new CipherState(crypto, KEY)
  const before = encrypted(state, 0, AD)
  const next = state.rekeyed()
  expect(encrypted(state, 0, AD)).toEqual(before)
  next.wipe()
  next.wipe()
  expect(encrypted(state, 0, AD)).toEqual(before)
  state.wipe()
  expect(crypto.alive).toBe(0)
  expect(() => encrypted(state, 0, AD)).toThrow(TypeError)
})
