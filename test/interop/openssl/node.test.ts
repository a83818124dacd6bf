import '../../fixtures/loaded-curves.ts'
import { constants, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeEcdsaSignature, encodeEcdsaSignature } from '../../../src/core/crypto/ecdsa-der.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { maxPssSalt } from '../../../src/core/crypto/rsa/index.ts'
import { ecSpkiPem } from '../../../src/core/crypto/spki.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import { HASHES } from '../../unit/crypto/hashes.ts'
import { noise } from '../../unit/crypto/steps.ts'
import { RSA_SIZES, rsaKey } from './keys.ts'

const crypto = nobleCrypto()
const message = noise(100)

describe.each(BACKENDS)('Ed25519 and node:crypto, backend $name', (backend) => {
  it('verify each other’s signatures', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const key = backend.ed25519Sign(noise(32, seed))
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.publicKey).toString('base64url') }
      const secret = createPrivateKey({ key: { ...jwk, d: Buffer.from(noise(32, seed)).toString('base64url') }, format: 'jwk' })
      const text = noise(seed * 37)
      expect(verify(null, text, createPublicKey({ key: jwk, format: 'jwk' }), key.sign(text))).toBe(true)
      expect(backend.ed25519Verify(key.publicKey).verify(sign(null, text, secret), text)).toBe(true)
    }
  })
})

describe.each([
  ['P-256', 32],
  ['P-384', 48],
  ['P-521', 66],
] as const)('ECDSA %s and node:crypto', (curve, size) => {
  const scalar = crypto.ecdsaGenerate(curve, (n) => noise(n, 77))
  const ownKey = crypto.ecdsaSign(curve, scalar)
  const verifier = crypto.ecdsaVerify(curve, ownKey.publicKey)
  const [x, y] = [ownKey.publicKey.subarray(1, 1 + size), ownKey.publicKey.subarray(1 + size)].map((n) =>
    Buffer.from(n).toString('base64url'),
  )
  const jwk = { kty: 'EC', crv: curve, d: Buffer.from(scalar).toString('base64url'), x: x!, y: y! }
  const nodeKey = createPrivateKey({ key: jwk, format: 'jwk' })

  it.each(HASHES)('verify each other’s signatures with %s in both encodings', (hash, openssl) => {
    const digest = crypto.hash(hash).digest(message)
    for (let round = 1; round <= 3; round++) {
      const signature = ownKey.signDigest(digest, noise(32, round))
      const pem = ecSpkiPem(curve, ownKey.publicKey)
      expect(verify(openssl, message, { key: pem, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
      expect(verify(openssl, message, { key: pem, dsaEncoding: 'der' }, encodeEcdsaSignature(signature))).toBe(true)
      const raw = sign(openssl, message, { key: nodeKey, dsaEncoding: 'ieee-p1363' })
      const der = sign(openssl, message, { key: nodeKey, dsaEncoding: 'der' })
      expect(verifier.verifyDigest(raw, digest)).toBe(true)
      expect(verifier.verifyDigest(decodeEcdsaSignature(der, size)!, digest)).toBe(true)
    }
  })
})

describe.each(RSA_SIZES)('RSA %i and node:crypto', (bits) => {
  const ownKey = rsaKey(bits)
  const secret = createPrivateKey(ownKey.pkcs1Pem())
  const publicKey = createPublicKey(ownKey.publicKey.spkiPem())

  it.each(HASHES)('verify each other’s PSS signatures with %s for salts of any length', (hash, openssl) => {
    const digest = crypto.hash(hash).digest(message)
    const padding = constants.RSA_PKCS1_PSS_PADDING
    const longest = maxPssSalt(bits, hash)
    const salts = [
      [longest, constants.RSA_PSS_SALTLEN_MAX_SIGN],
      [digest.length, constants.RSA_PSS_SALTLEN_DIGEST],
      ...[0, 1, 17, longest - 1].map((n) => [n, n] as const),
    ] as const
    for (const [salt, saltLength] of salts) {
      const signature = ownKey.signPss(hash, digest, salt, noise)
      expect(verify(openssl, message, { key: publicKey, padding, saltLength: salt }, signature)).toBe(true)
      expect(verify(openssl, message, { key: publicKey, padding, saltLength: constants.RSA_PSS_SALTLEN_AUTO }, signature)).toBe(
        true,
      )
      const nodeSignature = sign(openssl, message, { key: secret, padding, saltLength })
      expect(ownKey.publicKey.verifyPss(hash, digest, nodeSignature, salt)).toBe(true)
      expect(ownKey.publicKey.verifyPss(hash, digest, nodeSignature, 'any')).toBe(true)
      expect(ownKey.publicKey.verifyPss(hash, digest, nodeSignature, salt === 0 ? 1 : salt - 1)).toBe(false)
    }
  })

  it.each(HASHES)('create equal PKCS #1 v1.5 signatures with %s', (hash, openssl) => {
    const digest = crypto.hash(hash).digest(message)
    const nodeSignature = new Uint8Array(sign(openssl, message, secret))
    expect(ownKey.signPkcs1(hash, digest)).toEqual(nodeSignature)
    expect(ownKey.publicKey.verifyPkcs1(hash, digest, nodeSignature)).toBe(true)
    expect(verify(openssl, message, publicKey, ownKey.signPkcs1(hash, digest))).toBe(true)
  })
})
