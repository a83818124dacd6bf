import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  generatePrimeSync,
  privateDecrypt,
  publicEncrypt,
  sign,
  verify,
} from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import type { HashName } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { generateRsaKey, maxPssSalt, RsaPrivateKey, RsaPublicKey } from '../../../src/core/crypto/rsa/index.ts'
import fc from '../../fixtures/fast-check.ts'
import { RSA_IMPLEMENTATIONS } from '../../fixtures/rsa-implementations.ts'
import { OTHER_RSA_PAIR, PSS_PAIR, RSA_PAIR } from '../../fixtures/rsa-keys.ts'
import { runs } from '../../fixtures/runs.ts'
import { HASHES } from './hashes.ts'
import { noise } from './steps.ts'

const refused = expect.objectContaining({ constructor: KernelError, status: 400 })
const digest = (hash: HashName): Uint8Array => nobleCrypto().hash(hash).digest(noise(10))
const pkcs8 = new Uint8Array(RSA_PAIR.privateKey.export({ type: 'pkcs8', format: 'der' }))
describe.each(RSA_IMPLEMENTATIONS)('with the RSA of $name', ({ rsa }) => {
  const key = RsaPrivateKey.fromPkcs8(pkcs8, rsa)

  describe('keys', () => {
    it('are generated without blocking the event loop', async () => {
      let done = false
      const generating = generateRsaKey(2048, rsa).finally(() => {
        done = true
      })
      // Work in one piece would be done after these microtasks; slices, and a result from another thread, need turns of the event loop.
      for (let microtask = 0; microtask < 100; microtask++) await undefined
      expect(done).toBe(false)
      const der = await generating
      const details = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' }).asymmetricKeyDetails
      expect(details).toEqual({ modulusLength: 2048, publicExponent: 65537n })
    })

    it('are the same after their public key was exported as SPKI and read from DER or PEM', () => {
      const { publicKey } = key
      expect(publicKey.modulusBits).toBe(2048)
      expect(publicKey.modulusBytes).toBe(256)
      expect(publicKey.spkiPem()).toMatch(/^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]{1,64}\n)+-----END PUBLIC KEY-----\n$/)
      const signature = key.signPkcs1('sha2-256', digest('sha2-256'))
      for (const spki of [publicKey.spkiDer(), publicKey.spkiPem(), publicKey.spkiPem().trim()]) {
        const read = RsaPublicKey.fromSpki(spki, rsa)
        expect(read.verifyPkcs1('sha2-256', digest('sha2-256'), signature)).toBe(true)
        expect(read.spkiPem()).toBe(publicKey.spkiPem())
      }
    })

    it('export the private key as PKCS#1', () => {
      expect(key.pkcs1Pem()).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n[^\r]+\n-----END RSA PRIVATE KEY-----\n$/)
      const again = createPrivateKey(key.pkcs1Pem()).export({ type: 'pkcs8', format: 'der' })
      expect(new Uint8Array(again)).toEqual(pkcs8)
    })

    it('cannot be read from keys of other types or invalid bytes', () => {
      const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      for (const other of [ec, PSS_PAIR]) {
        expect(() => RsaPrivateKey.fromPkcs8(other.privateKey.export({ type: 'pkcs8', format: 'der' }), rsa)).toThrow(refused)
        expect(() => RsaPublicKey.fromSpki(other.publicKey.export({ type: 'spki', format: 'der' }), rsa)).toThrow(refused)
      }
      for (const bad of [new Uint8Array(0), noise(300), pkcs8.subarray(0, 500)]) {
        expect(() => RsaPrivateKey.fromPkcs8(bad, rsa)).toThrow(refused)
        expect(() => RsaPublicKey.fromSpki(bad, rsa)).toThrow(refused)
      }
      expect(() => RsaPublicKey.fromSpki(key.pkcs1Pem(), rsa)).toThrow(refused)
    })

    it('are not consistent if the private numbers belong to another modulus', () => {
      expect(key.isConsistent()).toBe(true)
      const modulus = (one: RsaPrivateKey): Buffer => {
        const { n } = createPublicKey(one.publicKey.spkiPem()).export({ format: 'jwk' })
        return Buffer.from(n!, 'base64url')
      }
      const other = RsaPrivateKey.fromPkcs8(OTHER_RSA_PAIR.privateKey.export({ type: 'pkcs8', format: 'der' }), rsa)
      // The private numbers of this key with the modulus of another key.
      const mixed = Buffer.from(pkcs8)
      modulus(other).copy(mixed, mixed.indexOf(modulus(key)))
      expect(RsaPrivateKey.fromPkcs8(mixed, rsa).isConsistent()).toBe(false)
    })

    it('throw from every call with the private key after they are wiped, but still verify', () => {
      const one = RsaPrivateKey.fromPkcs8(pkcs8, rsa)
      const signature = one.signPkcs1('sha2-256', digest('sha2-256'))
      one.wipe()
      one.wipe()
      expect(() => one.signPkcs1('sha2-256', digest('sha2-256'))).toThrow(TypeError)
      expect(() => one.signPss('sha2-256', digest('sha2-256'), 32, noise)).toThrow(TypeError)
      expect(() => one.decryptOaep(new Uint8Array(256))).toThrow(TypeError)
      expect(() => one.decryptOaep(new Uint8Array(0))).toThrow(TypeError)
      expect(() => one.isConsistent()).toThrow(TypeError)
      expect(() => one.pkcs1Pem()).toThrow(TypeError)
      expect(one.publicKey.verifyPkcs1('sha2-256', digest('sha2-256'), signature)).toBe(true)
    })
  })

  describe('OAEP', () => {
    it('encrypts and decrypts plaintexts of up to 190 bytes with SHA-256 and 2,048 bits', () => {
      expect(key.publicKey.maxOaepBytes()).toBe(190)
      for (const length of [0, 1, 32, 190])
        expect(key.decryptOaep(key.publicKey.encryptOaep(noise(length)))).toEqual(noise(length))
      expect(() => key.publicKey.encryptOaep(noise(191))).toThrow(refused)
      expect(key.publicKey.encryptOaep(noise(9))).not.toEqual(key.publicKey.encryptOaep(noise(9)))
    })

    it.each(HASHES)(
      'with %s is interoperable with OpenSSL in both directions if OpenSSL uses %s for hash and MGF1',
      (hash, openssl) => {
        const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: openssl }
        const theirs = publicEncrypt({ key: key.publicKey.spkiPem(), ...padding }, noise(20))
        expect(key.decryptOaep(theirs, hash)).toEqual(noise(20))
        const ours = privateDecrypt({ key: key.pkcs1Pem(), ...padding }, key.publicKey.encryptOaep(noise(20), hash))
        expect(new Uint8Array(ours)).toEqual(noise(20))
      },
    )

    it('returns undefined for a ciphertext that was changed, or made with another hash or padding', () => {
      const good = key.publicKey.encryptOaep(noise(20))
      const bad = [new Uint8Array(0), good.subarray(1), new Uint8Array(257), new Uint8Array(256), new Uint8Array(256).fill(0xff)]
      for (let bit = 0; bit < 2048; bit += 97) {
        const flipped = good.slice()
        flipped[bit >> 3]! ^= 1 << (bit & 7)
        bad.push(flipped)
      }
      bad.push(new Uint8Array(publicEncrypt({ key: key.publicKey.spkiPem(), padding: constants.RSA_PKCS1_PADDING }, noise(20))))
      bad.push(key.publicKey.encryptOaep(noise(20), 'sha1'))
      for (const one of bad) expect(key.decryptOaep(one)).toBeUndefined()
    })
  })

  describe('signatures', () => {
    it.each(HASHES)('PSS with %s are verified for every valid salt length, given as a number or as any', (hash) => {
      const most = maxPssSalt(2048, hash)
      for (const salt of [0, 1, 20, digest(hash).length, most - 1, most]) {
        const signature = key.signPss(hash, digest(hash), salt, noise)
        expect(key.publicKey.verifyPss(hash, digest(hash), signature, salt)).toBe(true)
        expect(key.publicKey.verifyPss(hash, digest(hash), signature, 'any')).toBe(true)
        expect(key.publicKey.verifyPss(hash, digest(hash), signature, salt + 1)).toBe(false)
        expect(key.publicKey.verifyPss(hash, digest(hash), signature, salt - 1)).toBe(false)
      }
      for (const salt of [-1, 0.5, most + 1, Number.NaN])
        expect(() => key.signPss(hash, digest(hash), salt, noise)).toThrow(refused)
      expect(() => key.signPss(hash, digest(hash).subarray(1), 0, noise)).toThrow(refused)
    })

    it('PSS with SHA-256 have the documented maximum salt lengths', () => {
      expect([2048, 3072, 4096].map((bits) => maxPssSalt(bits, 'sha2-256'))).toEqual([222, 350, 478])
    })

    it('PSS depend on the salt from the given source of entropy and on nothing random besides', () => {
      const drawn: number[] = []
      const sign = (seed: number): Uint8Array =>
        key.signPss('sha2-256', digest('sha2-256'), 32, (n) => {
          drawn.push(n)
          return noise(n, seed)
        })
      expect(sign(1)).toEqual(sign(1))
      expect(sign(1)).not.toEqual(sign(2))
      expect(drawn).toEqual([32, 32, 32, 32])
    })

    it('are rejected if the digest, the length or the hash is wrong', () => {
      const pss = key.signPss('sha2-256', digest('sha2-256'), 32, noise)
      const pkcs1 = key.signPkcs1('sha2-256', digest('sha2-256'))
      const { publicKey } = key
      const tries = fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ minLength: 256, maxLength: 256 }),
        fc.tuple(fc.constantFrom(pss, pkcs1), fc.nat(2047)).map(([signature, bit]) => {
          const flipped = signature.slice()
          flipped[bit >> 3]! ^= 1 << (bit & 7)
          return flipped
        }),
      )
      fc.assert(
        fc.property(tries, (signature) => {
          expect(publicKey.verifyPss('sha2-256', digest('sha2-256'), signature, 'any')).toBe(false)
          expect(publicKey.verifyPkcs1('sha2-256', digest('sha2-256'), signature)).toBe(false)
          expect(publicKey.verifyPkcs1('none', digest('sha2-256'), signature)).toBe(false)
        }),
        { numRuns: runs({ quick: 30, soak: 1_000 }) },
      )
      expect(publicKey.verifyPss('sha2-256', digest('sha3-256'), pss, 32)).toBe(false)
      expect(publicKey.verifyPss('sha3-256', digest('sha2-256'), pss, 32)).toBe(false)
      expect(publicKey.verifyPss('sha2-256', digest('sha2-512'), pss, 32)).toBe(false)
      expect(publicKey.verifyPkcs1('sha3-256', digest('sha2-256'), pkcs1)).toBe(false)
      expect(publicKey.verifyPkcs1('sha2-256', digest('sha2-512'), pkcs1)).toBe(false)
      expect(publicKey.verifyPkcs1('none', digest('sha2-256'), pkcs1)).toBe(false)
    })

    it('with the hash none cover raw bytes, at most 11 bytes fewer than the modulus', () => {
      for (const length of [0, 1, 36, 245]) {
        const signature = key.signPkcs1('none', noise(length))
        expect(key.publicKey.verifyPkcs1('none', noise(length), signature)).toBe(true)
      }
      expect(() => key.signPkcs1('none', noise(246))).toThrow(refused)
      expect(key.publicKey.verifyPkcs1('none', noise(246), new Uint8Array(256))).toBe(false)
      expect(() => key.signPkcs1('sha2-256', noise(31))).toThrow(refused)
    })

    it('are interoperable with OpenSSL for a modulus of 2,049 bits', () => {
      const one = RsaPrivateKey.fromPkcs8(composed(1025, 1024), rsa)
      expect(one.publicKey.modulusBits).toBe(2049)
      expect(one.publicKey.modulusBytes).toBe(257)
      const message = noise(10)
      const longest = maxPssSalt(2049, 'sha2-256')
      for (const salt of [0, 32, longest]) {
        const signature = one.signPss('sha2-256', digest('sha2-256'), salt, noise)
        const openssl = { key: one.publicKey.spkiPem(), padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: salt }
        expect(verify('sha256', message, openssl, signature)).toBe(true)
        expect(one.publicKey.verifyPss('sha2-256', digest('sha2-256'), signature, salt)).toBe(true)
        const theirs = sign('sha256', message, { ...openssl, key: one.pkcs1Pem() })
        expect(one.publicKey.verifyPss('sha2-256', digest('sha2-256'), theirs, 'any')).toBe(true)
      }
      expect(one.publicKey.verifyPkcs1('sha2-256', digest('sha2-256'), one.signPkcs1('sha2-256', digest('sha2-256')))).toBe(true)
      expect(one.decryptOaep(one.publicKey.encryptOaep(noise(32)))).toEqual(noise(32))
    })
  })
})

/** Creates a key with primes of the given sizes. OpenSSL's generator rounds odd sizes down. */
function composed(pBits: number, qBits: number): Uint8Array {
  const e = 65_537n
  const [p, q] = [pBits, qBits].map((bits) => {
    for (;;) {
      const prime = generatePrimeSync(bits, { bigint: true })
      if (prime % e !== 1n) return prime
    }
  }) as [bigint, bigint]
  const d = inverse(e, (p - 1n) * (q - 1n))
  const numbers = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const jwk = Object.fromEntries(Object.entries(numbers).map(([name, n]) => [name, base64url(n)]))
  return createPrivateKey({ key: { kty: 'RSA', ...jwk }, format: 'jwk' }).export({ type: 'pkcs8', format: 'der' })
}

function base64url(n: bigint): string {
  const text = n.toString(16)
  return Buffer.from(text.padStart(text.length + (text.length & 1), '0'), 'hex').toString('base64url')
}

/** a^-1 mod m by the extended Euclidean algorithm. */
function inverse(a: bigint, m: bigint): bigint {
  let [r0, r1, t0, t1] = [m, a % m, 0n, 1n]
  while (r1 !== 0n) {
    const q = r0 / r1
    ;[r0, r1, t0, t1] = [r1, r0 - q * r1, t1, t0 - q * t1]
  }
  return ((t0 % m) + m) % m
}
