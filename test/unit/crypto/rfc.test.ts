import { describe, expect, it } from 'vitest'
import type { AeadName, CurveName, HashName } from '../../../src/core/crypto/backend.ts'
import { counterKdf } from '../../../src/core/crypto/counter-kdf.ts'
import { hkdfExpand } from '../../../src/core/crypto/hkdf-expand.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import { hex, unhex, vectors } from '../../vectors/load.ts'

type Texts<Name extends string> = Readonly<Record<Name, string>>
type Aead = Texts<'name' | 'key' | 'nonce' | 'aad' | 'plaintext' | 'ciphertext' | 'tag'> & { readonly algorithm: AeadName }
type Hmac = Texts<'key' | 'data' | 'mac'> & { readonly case: number; readonly hash: HashName }
type Hkdf = Texts<'ikm' | 'info' | 'okm'> & { case: number; hash: HashName; salt: string | null; length: number }
type Ed25519 = Texts<'name' | 'seed' | 'public' | 'message' | 'signature'>
type Ecdsa = Texts<'message' | 'private' | 'public' | 'signature'> & { readonly curve: CurveName; readonly hash: HashName }

/**
 * RFC 6979 derives k with the hash of the message, but noble uses the hash of the curve's size. Signatures with other hashes can only be
 * verified, not reproduced.
 */
const HASH_OF_CURVE: Readonly<Record<CurveName, HashName>> = { 'P-256': 'sha2-256', 'P-384': 'sha2-384', 'P-521': 'sha2-512' }

describe.each(BACKENDS)('RFC test vectors with the backend $name', (crypto) => {
  it.each(vectors<Aead>('rfc8439-chacha20-poly1305.json'))('RFC 8439: $name', (v) => {
    const key = crypto.aead(v.algorithm, unhex(v.key))
    const plaintext = unhex(v.plaintext)
    const sealed = new Uint8Array(plaintext.length + 16)
    key.seal(unhex(v.nonce), plaintext, unhex(v.aad), sealed, 0)
    expect(hex(sealed)).toBe(v.ciphertext + v.tag)
    expect(key.open(unhex(v.nonce), sealed, unhex(v.aad))).toEqual(plaintext)
  })

  it.each(vectors<Hmac>('rfc4231-hmac.json'))('RFC 4231 test case $case, $hash', (v) => {
    expect(hex(crypto.hmac(v.hash, unhex(v.key)).mac(unhex(v.data)))).toBe(v.mac)
  })

  it.each(vectors<Hkdf>('rfc5869-hkdf.json'))('RFC 5869 test case $case, $hash', (v) => {
    const salt = v.salt === null ? undefined : unhex(v.salt)
    expect(hex(crypto.hkdf(v.hash, unhex(v.ikm), salt, unhex(v.info), v.length))).toBe(v.okm)
  })

  it.each(vectors<Hkdf>('rfc5869-hkdf.json').filter(({ hash }) => hash === 'sha2-256'))(
    'RFC 5869 test case $case: the second stage, with the result of the first',
    (v) => {
      const salt = v.salt === null ? new Uint8Array(32) : unhex(v.salt)
      const prk = crypto.hmac(v.hash, crypto.hmac(v.hash, salt).mac(unhex(v.ikm)))
      expect(hex(hkdfExpand(prk, unhex(v.info), v.length))).toBe(v.okm)
    },
  )

  it.each(vectors<Ed25519>('rfc8032-ed25519.json'))('RFC 8032 $name', (v) => {
    const key = crypto.ed25519Sign(unhex(v.seed))
    expect(hex(key.publicKey)).toBe(v.public)
    expect(hex(key.sign(unhex(v.message)))).toBe(v.signature)
    expect(crypto.ed25519Verify(unhex(v.public)).verify(unhex(v.signature), unhex(v.message))).toBe(true)
  })

  it('RFC 6979: signatures without entropy equal those of the RFC if the hash has the size of the curve', () => {
    const all = vectors<Ecdsa>('rfc6979-ecdsa.json')
    for (const v of all) {
      const digest = crypto.hash(v.hash).digest(unhex(v.message))
      const key = crypto.ecdsaSign(v.curve, unhex(v.private))
      expect(hex(key.publicKey)).toBe(v.public)
      if (v.hash === HASH_OF_CURVE[v.curve]) expect(hex(key.signDigest(digest, new Uint8Array(0)))).toBe(v.signature)
      expect(crypto.ecdsaVerify(v.curve, unhex(v.public)).verifyDigest(unhex(v.signature), digest)).toBe(true)
    }
    expect(all.filter((v) => v.hash === HASH_OF_CURVE[v.curve])).toHaveLength(6)
  })

  it('counter KDF: the key is HMAC-SHA256 over the counter 0, the context and the length 256', () => {
    const key = new Uint8Array(32).fill(7)
    const context = unhex('c0ffee')
    const byHand = crypto.hmac('sha2-256', key).mac(unhex('00000000c0ffee00000100'))
    expect(counterKdf(crypto.hmac('sha2-256', key), context)).toEqual(byHand)
  })
})
