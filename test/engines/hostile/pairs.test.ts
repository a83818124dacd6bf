import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { RSA_PAIR } from '../../fixtures/rsa-keys.ts'
import { base64, bytesOf } from '../../property/support.ts'
import { backupText, type Plain, refused, remove, restoreText } from './refusals.ts'

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

const NONE = { key: null }
const jwkNumber = (text: string | undefined) => BigInt(`0x${Buffer.from(text as string, 'base64url').toString('hex')}`)
/** Encodes numbers for {@link backupText}. */
const shown = (value: unknown): unknown =>
  typeof value === 'bigint' ? `#${value}` : Array.isArray(value) ? value.map(shown) : value
const numbers = (entry: Plain): Plain => Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, shown(value)]))

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
const EC = { ec_x: jwkNumber(pair.x), ec_y: jwkNumber(pair.y), ec_d: jwkNumber(pair.d) }
const ecdsa = (changed: Plain) =>
  restoreText(kernel, backupText({ policy: { type: 1 }, version: { ...NONE, ...numbers({ ...EC, ...changed }) } }))

const wide = RSA_PAIR.privateKey.export({ format: 'jwk' })
const [N, E, D, P, Q] = [wide.n, wide.e, wide.d, wide.p, wide.q].map(jwkNumber) as [bigint, bigint, bigint, bigint, bigint]
const rsa = (changed: Plain) => {
  const rsa_key = numbers({ N, E, D, Primes: [P, Q], ...changed })
  return restoreText(kernel, backupText({ policy: { type: 3 }, version: { ...NONE, rsa_key } }))
}

const ed25519 = (policy: Plain, version: Plain) =>
  restoreText(kernel, backupText({ policy: { type: 2, ...policy }, version: { ...NONE, ...version } }))

describe('restore of an ECDSA key', () => {
  it('accepts a matching key pair, and a private or public key alone', async () => {
    for (const changed of [{}, { ec_d: null }, { ec_x: null, ec_y: null }]) {
      expect((await ecdsa(changed)).status).toBe(204)
      await remove(kernel, 'planted')
    }
  })

  it.each<[string, Plain]>([
    ['a point that is not on the curve', { ec_d: null, ec_x: EC.ec_x + 1n }],
    ['a private number that does not match', { ec_d: EC.ec_d + 1n }],
    ['the private number 0', { ec_d: 0n }],
    ['a private number outside of the group order', { ec_d: EC.ec_d + 2n ** 256n }],
    ['a private number of 2^256 - 1', { ec_d: 2n ** 256n - 1n }],
    ['a negative number', { ec_d: -5n }],
    ['the point at infinity', { ec_d: null, ec_x: 0n, ec_y: 0n }],
    ['no coordinates and no private number', { ec_d: null, ec_y: null }],
    ['a point on another curve', { ec_d: null, ec_x: 5n, ec_y: 1n }],
    ['a number of 1,000 digits', { ec_x: 10n ** 1000n }],
    ['a number of 10,000 digits', { ec_x: 10n ** 10_000n }],
  ])('is refused with %s', async (_, changed) => {
    await refused(kernel, () => ecdsa(changed), /^backup|^the key is not a/)
  })
})

describe('restore of an RSA key', () => {
  it('computes CRT values that the backup lacks', async () => {
    for (const changed of [{}, { Precomputed: { Dp: 0, Dq: 0, Qinv: 0 } }]) {
      expect((await rsa(changed)).status).toBe(204)
      const { ciphertext } = await kernel.transit.encrypt({ name: 'planted', plaintext: bytesOf(20, 1) })
      expect((await kernel.transit.decrypt({ name: 'planted', ciphertext })).plaintext).toEqual(bytesOf(20, 1))
      await remove(kernel, 'planted')
    }
  })

  it.each<[string, Plain]>([
    ['wrong CRT values', { Precomputed: { Dp: 5, Dq: 6, Qinv: 7 } }],
    ['an even modulus', { N: N + 1n }],
    ['a tiny modulus', { N: 15n, Primes: [3n, 5n] }],
    ['a modulus of twice the size', { N: N ** 2n }],
    ['a modulus that is not the product of its primes', { N: N + 2n }],
    ['the modulus 0', { N: 0n }],
    ['a negative modulus', { N: -N }],
    ['the exponent 1', { E: 1n }],
    ['an even exponent', { E: 65538n }],
    ['an exponent as large as the modulus', { E: N }],
    ['a private exponent that does not match', { D: D + 2n }],
    ['the private exponent 0', { D: 0n }],
    ['the prime 1', { Primes: [1n, N] }],
    ['the primes 0', { Primes: [0n, 0n] }],
    ['equal primes', { Primes: [P, P] }],
    ['three primes', { Primes: [P, Q, 3n] }],
    ['no primes', { Primes: [] }],
    ['strings as primes', { Primes: ['x', 'y'] }],
  ])('is refused with %s', async (_, changed) => {
    await refused(kernel, () => rsa(changed), /^backup/)
  })
})

describe('restore of an Ed25519 key', () => {
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(12)

  it('accepts a public key without a private key', async () => {
    expect((await ed25519({}, { public_key: base64(publicKey) })).status).toBe(204)
    await remove(kernel, 'planted')
  })

  it('is refused if the private and public key do not match or the public key is invalid', async () => {
    await refused(kernel, () => ed25519({}, { key: base64(bytesOf(64, 3)) }))
    await refused(kernel, () => ed25519({}, { key: base64(bytesOf(32, 3)) }))
    await refused(kernel, () => ed25519({}, { public_key: base64(Uint8Array.of(2, ...new Uint8Array(31))) }))
    await refused(kernel, () => ed25519({}, { public_key: base64(publicKey.subarray(1)) }))
    await refused(kernel, () => ed25519({ derived: true, kdf: 1 }, { public_key: base64(publicKey) }))
  })
})

describe('a restored backup with a key type number that Vault and OpenBao use differently', () => {
  const own = base64(bytesOf(32, 1))
  it.each<[string, Plain, Plain, string]>([
    ['creates an HMAC key if the number is 10 and the HMAC key equals the key', { type: 10 }, { hmac_key: own }, 'hmac'],
    ['creates an HMAC key if the number is 11 and the HMAC key equals the key', { type: 11 }, { hmac_key: own }, 'hmac'],
    [
      'creates an HMAC key if the number is 11 and the backup has a key size',
      { type: 11, key_size: 32 },
      { hmac_key: own },
      'hmac',
    ],
    [
      'creates an XChaCha20-Poly1305 key if the number is 11 and the HMAC key differs from the key',
      { type: 11 },
      {},
      'xchacha20-poly1305',
    ],
    [
      'creates an XChaCha20-Poly1305 key if the number is 11 and there is no HMAC key',
      { type: 11 },
      { hmac_key: null },
      'xchacha20-poly1305',
    ],
  ])('%s', async (_, policy, version, type) => {
    expect((await restoreText(kernel, backupText({ policy, version }))).status).toBe(204)
    expect((await kernel.transit.readKey({ name: 'planted' })).type).toBe(type)
    await remove(kernel, 'planted')
  })

  it('is refused if the number is 10 and the HMAC key differs from the key', async () => {
    await refused(kernel, () => restoreText(kernel, backupText({ policy: { type: 10, key_size: 32 } })))
  })
})
