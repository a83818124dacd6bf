import { createCipheriv, createDecipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { unwrapKey, unwrapKeyPadded, wrapKey, wrapKeyPadded } from '../../../src/core/crypto/key-wrap.ts'
import { unwrapWithRsa, wrapForRsa } from '../../../src/core/crypto/key-wrap-rsa.ts'
import { RsaPrivateKey } from '../../../src/core/crypto/rsa/index.ts'
import { RSA_PAIR } from '../../fixtures/rsa-keys.ts'
import { hex, unhex, vectors } from '../../vectors/load.ts'
import { itMatchesWycheproof, type WycheproofTest } from '../../vectors/wycheproof.ts'
import { noise } from './steps.ts'

type Vector = Readonly<Record<'section' | 'kek' | 'key' | 'wrapped', string>>
interface WrapTest extends WycheproofTest {
  readonly key: string
  readonly msg: string
  readonly ct: string
}

const KINDS = [
  { name: 'AES-KW', file: 'rfc3394-key-wrap.json', wrap: wrapKey, unwrap: unwrapKey },
  { name: 'AES-KWP', file: 'rfc5649-key-wrap-padded.json', wrap: wrapKeyPadded, unwrap: unwrapKeyPadded },
] as const

describe.each(KINDS)('$name key wrapping', ({ file, wrap, unwrap }) => {
  it.each(vectors<Vector>(file))('matches the example in section $section of its RFC', ({ kek, key, wrapped }) => {
    expect(hex(wrap(unhex(kek), unhex(key)))).toBe(wrapped)
    expect(hex(unwrap(unhex(kek), unhex(wrapped))!)).toBe(key)
  })

  it('returns undefined for a wrapped key that was modified, truncated or wrapped with another key', () => {
    const [kek, key] = [noise(32), noise(40, 1)]
    const wrapped = wrap(kek, key)
    for (let bit = 0; bit < 8 * wrapped.length; bit += 5) {
      const changed = wrapped.slice()
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(unwrap(kek, changed)).toBeUndefined()
    }
    for (const cut of [0, 1, 8, 16, wrapped.length - 8, wrapped.length - 1])
      expect(unwrap(kek, wrapped.subarray(0, cut))).toBeUndefined()
    expect(unwrap(noise(32, 9), wrapped)).toBeUndefined()
  })

  it('does not modify its inputs', () => {
    const [kek, key] = [noise(32), noise(24, 1)]
    const wrapped = wrap(kek, key)
    const copy = wrapped.slice()
    unwrap(kek, wrapped)
    expect([kek, key, wrapped]).toEqual([noise(32), noise(24, 1), copy])
  })
})

describe('AES-KWP compared with OpenSSL', () => {
  it('wraps keys of any length to the same bytes', () => {
    const iv = unhex('a65959a6')
    for (const bytes of [9, 16, 17, 31, 32, 33, 64, 100, 512, 2375, 8192]) {
      const [kek, key] = [noise(32, bytes), noise(bytes, 1)]
      const cipher = createCipheriv('id-aes256-wrap-pad', kek, iv)
      const wrappedByNode = Buffer.concat([cipher.update(key), cipher.final()])
      expect(hex(wrapKeyPadded(kek, key))).toBe(wrappedByNode.toString('hex'))
      const decipher = createDecipheriv('id-aes256-wrap-pad', kek, iv)
      expect(Buffer.concat([decipher.update(wrapKeyPadded(kek, key)), decipher.final()])).toEqual(Buffer.from(key))
    }
  })
})

describe('AES key wrap', () => {
  itMatchesWycheproof<object, WrapTest>('aes_kwp_test.json', {
    accepts: (test) => acceptsVector(test, wrapKeyPadded, unwrapKeyPadded),
  })
  itMatchesWycheproof<object, WrapTest>('aes_wrap_test.json', {
    acceptable: { ShortKey: { accept: false, reason: 'keys of 8 bytes, which SP 800-38F forbids' } },
    accepts: (test) => acceptsVector(test, wrapKey, unwrapKey),
  })
})

function acceptsVector(test: WrapTest, wrap: typeof wrapKey, unwrap: typeof unwrapKey): boolean {
  const opened = unwrap(unhex(test.key), unhex(test.ct))
  if (opened === undefined || hex(opened) !== test.msg) return false
  return hex(wrap(unhex(test.key), unhex(test.msg))) === test.ct
}

describe('a key wrapped with RSA-OAEP and AES-KWP', () => {
  const own = RsaPrivateKey.fromPkcs8(RSA_PAIR.privateKey.export({ type: 'pkcs8', format: 'der' }))
  const key = noise(77, 3)

  it.each(['sha1', 'sha2-224', 'sha2-256', 'sha2-384', 'sha2-512'] as const)(
    'is unwrapped with %s and with no other hash',
    (hash) => {
      const blob = wrapForRsa(own.publicKey, key, hash, noise(32, 7))
      expect(blob.length).toBe(256 + 8 + 80)
      expect(unwrapWithRsa(own, blob, hash)).toEqual(key)
      expect(unwrapWithRsa(own, blob, hash === 'sha1' ? 'sha2-256' : 'sha1')).toBeUndefined()
    },
  )

  it('is refused if it is modified, truncated or extended, or has an ephemeral key of another size', () => {
    const blob = wrapForRsa(own.publicKey, key, 'sha2-256', noise(32, 7))
    for (const at of [0, 100, 255, 256, 300, blob.length - 1]) {
      const changed = blob.slice()
      changed[at]! ^= 1
      expect(unwrapWithRsa(own, changed, 'sha2-256')).toBeUndefined()
    }
    for (const bytes of [257, 272, blob.length - 8, blob.length - 1]) {
      expect(unwrapWithRsa(own, blob.subarray(0, bytes), 'sha2-256')).toBeUndefined()
    }
    expect(unwrapWithRsa(own, new Uint8Array([...blob, ...new Uint8Array(8)]), 'sha2-256')).toBeUndefined()
    expect(unwrapWithRsa(own, new Uint8Array(9000), 'sha2-256')).toBeUndefined()
    const short = new Uint8Array([...own.publicKey.encryptOaep(noise(16)), ...wrapKeyPadded(noise(16), key)])
    expect(unwrapWithRsa(own, short, 'sha2-256')).toBeUndefined()
    // A failed RSA decryption continues with a key of zeros, so that its timing reveals nothing. A blob that is wrapped with that key must
    // be refused.
    const zeros = new Uint8Array([...own.publicKey.encryptOaep(noise(31)), ...wrapKeyPadded(new Uint8Array(32), key)])
    expect(unwrapWithRsa(own, zeros, 'sha2-256')).toBeUndefined()
  })
})
