/** Wrapped keys and public keys from attackers or faulty tools. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { usePreparedRsaKeys } from '../../fixtures/prepared-rsa-keys.ts'
import { RSA_PAIR, RSA_PAIR_3072, RSA_PAIR_4096 } from '../../fixtures/rsa-keys.ts'
import { runs } from '../../fixtures/runs.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'
import { ask, base64, bytesOf } from '../../property/support.ts'
import { importByPath, wrapped, wrappingKey } from '../import-blob.ts'
import { refused, remove } from './refusals.ts'

usePreparedRsaKeys()

let kernel: Kernel
let recipient: string

beforeAll(async () => {
  kernel = await kernelWithWrappingKey()
  recipient = await wrappingKey(kernel)
})
afterAll(() => kernel.close())

const pkcs8 = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'der' })

describe('import of a wrapped key', () => {
  const submit = (ciphertext: string, more: object = {}) =>
    ask(kernel, 'POST', 'keys/imported/import', { type: 'aes256-gcm96', ciphertext, ...more })
  const spoilt = (ciphertext: string | Uint8Array, more: object = {}, words?: RegExp) =>
    refused(kernel, () => submit(typeof ciphertext === 'string' ? ciphertext : base64(ciphertext), more), words)
  const inside = (type: string, material: Uint8Array, words?: RegExp) =>
    refused(kernel, () => importByPath(kernel, 'imported', type, material), words)

  it('is refused if the blob is truncated, extended or changed', async () => {
    const whole = wrapped(recipient, bytesOf(32, 1))
    for (const bytes of [0, 1, 256, 511, 512]) await spoilt(whole.subarray(0, bytes), {}, /ciphertext/)
    const words = new Set<string>()
    for (const bytes of [513, 520, 528, whole.length - 8, whole.length - 1]) words.add(await spoilt(whole.subarray(0, bytes)))
    for (const bytes of [1, 8, 8192, 1_000_000]) words.add(await spoilt(Buffer.concat([whole, bytesOf(bytes, 2)])))
    words.add(await spoilt(bytesOf(552, 9)))
    words.add(await spoilt(whole, { hash_function: 'SHA1' }))
    const other = RSA_PAIR_4096.publicKey.export({ type: 'spki', format: 'pem' }) as string
    words.add(await spoilt(wrapped(other, bytesOf(32, 1))))
    expect(words.size).toBe(1)
  })

  it('is refused if the wrapped key has another type or size', async () => {
    for (const bytes of [16, 24, 31, 33, 64, 8192]) await inside('aes256-gcm96', bytesOf(bytes, 1), /32 bytes/)
    for (const bytes of [16, 31, 513]) await inside('hmac', bytesOf(bytes, 1), /32 to 512/)
    await inside('ecdsa-p256', pkcs8('P-384'), /curve/)
    await inside('ecdsa-p256', pkcs8('secp256k1'), /curve/)
    await inside('ecdsa-p521', pkcs8('P-256'), /curve/)
    for (const type of ['ed25519', 'rsa-2048']) await inside(type, pkcs8('P-256'))
    await inside('ecdsa-p256', bytesOf(138, 1))
    await inside('ecdsa-p256', Buffer.from(`-----BEGIN PRIVATE KEY-----\n${base64(pkcs8('P-256'))}\n-----END PRIVATE KEY-----`))
  })

  it('is refused if the wrapped private key is truncated, extended or nested', async () => {
    const good = pkcs8('P-256')
    for (let length = 20; length < good.length; length += 9) await inside('ecdsa-p256', good.subarray(0, length))
    await inside('ecdsa-p256', Buffer.concat([good, new Uint8Array(4)]))
    await inside('ecdsa-p256', Buffer.alloc(8000, Buffer.from([0x30, 0x80])))
    await inside('rsa-2048', Buffer.alloc(8000, Buffer.from([0x30, 0x82, 0x1f, 0x3c])))
  })

  it('is refused if any byte of the wrapped private key is changed, except the PKCS#8 version', async () => {
    const good = pkcs8('P-256')
    const accepted: number[] = []
    for (let at = runs({ quick: 2, soak: 0 }); at < good.length; at += runs({ quick: 3, soak: 1 })) {
      const changed = Uint8Array.from(good)
      changed[at] = (changed[at] as number) ^ 1
      const { status } = await importByPath(kernel, `changed-${at}`, 'ecdsa-p256', changed)
      if (status !== 400) accepted.push(at)
    }
    // The PKCS#8 version number: 1 is the format of RFC 5958, which differs only in optional data after the key.
    expect(accepted).toEqual([5])
    await remove(kernel, 'changed-5')
  })

  it.each([
    [1024, generateKeyPairSync('rsa', { modulusLength: 1024 })],
    [3072, RSA_PAIR_3072],
  ])('is refused for rsa-2048 if the modulus has %i bits', async (_, { privateKey }) => {
    const der = privateKey.export({ type: 'pkcs8', format: 'der' })
    await inside('rsa-2048', der, /modulus/)
  })

  it('is refused if the request has both a ciphertext and a public key, or neither', async () => {
    await spoilt(wrapped(recipient, bytesOf(32, 1)), { public_key: 'x' }, /not both/)
    await spoilt('', {}, /ciphertext/)
    await spoilt(base64(wrapped(recipient, bytesOf(32, 1))), { ciphertext: null }, /one of them/)
  })

  it.each<[string, object, RegExp]>([
    ['derived: true without a context', { derived: true }, /context/],
    ['derived: true with an empty context', { derived: true, context: '' }, /context/],
    ['a type that does not support derivation', { type: 'hmac', derived: true, context: 'eA==' }, /derived/],
    ['a rotation period without allow_rotation', { auto_rotate_period: '2h' }, /allow_rotation/],
    ['a rotation period that is too short', { auto_rotate_period: '30m', allow_rotation: true }, /auto_rotate_period/],
    ['convergent encryption', { convergent_encryption: false }, /convergent_encryption/],
    ['an unknown type', { type: 'nowhere' }, /type/],
    ['an unknown hash function', { hash_function: 'MD5' }, /hash_function/],
    ['a hash function that is a property of Object.prototype', { hash_function: 'constructor' }, /hash_function/],
    ['a type that is a property of Object.prototype', { type: 'toString' }, /type/],
  ])('is refused with %s', async (_, more, words) => {
    await spoilt(wrapped(recipient, bytesOf(32, 1)), more, words)
  })

  it('is refused by a kernel that has another wrapping key or none', async () => {
    const ciphertext = wrapped(recipient, bytesOf(32, 1))
    const otherKernel = await createDevKernel()
    await expect(otherKernel.transit.importKey({ name: 'k', type: 'aes256-gcm96', ciphertext })).rejects.toMatchObject({
      status: 400,
    })
    await wrappingKey(otherKernel)
    await expect(otherKernel.transit.importKey({ name: 'k', type: 'aes256-gcm96', ciphertext })).rejects.toMatchObject({
      status: 400,
    })
    await otherKernel.close()
  })

  it('is refused if the key name is invalid, for example contains a slash', async () => {
    const ciphertext = base64(wrapped(recipient, bytesOf(32, 1)))
    for (const name of ['a%2Fb', 'a/b', 'import%2Fwrapping-key', 'a.', '%20'])
      expect((await ask(kernel, 'POST', `keys/${name}/import`, { type: 'aes256-gcm96', ciphertext })).status).toBe(404)
  })
})

describe('import of a public key', () => {
  const spoilt = (public_key: string, type: string, words?: RegExp) =>
    refused(kernel, () => ask(kernel, 'POST', 'keys/public/import', { type, public_key }), words)
  const pem = (der: Uint8Array) => `-----BEGIN PUBLIC KEY-----\n${base64(der)}\n-----END PUBLIC KEY-----\n`
  const spki = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' })

  it('is refused if it is truncated, changed, padded or not PEM', async () => {
    for (const length of [0, 1, 2, 30, 60, 90]) await spoilt(pem(spki.subarray(0, length)), 'ecdsa-p256')
    await spoilt(pem(Buffer.concat([spki, new Uint8Array(1)])), 'ecdsa-p256')
    for (let at = 0; at < spki.length; at += 2) {
      const changed = Uint8Array.from(spki)
      changed[at] = (changed[at] as number) ^ 1
      await spoilt(pem(changed), 'ecdsa-p256')
    }
    const long = `-----BEGIN A-----\n${'A'.repeat(1_000_000)}\n-----END A-----`
    for (const text of ['', 'x', '-----BEGIN PUBLIC KEY-----', '-----BEGIN -----\n-----END -----', long, '\n'.repeat(60_000)])
      await spoilt(text, 'ecdsa-p256')
  })

  /** Builds the SPKI of an RSA key from two numbers. */
  function rsa(modulus: Uint8Array, exponent: Uint8Array): string {
    const element = (tag: number, ...parts: Uint8Array[]) => {
      const body = Buffer.concat(parts)
      return Buffer.concat([Uint8Array.of(tag, 0x82, body.length >> 8, body.length & 255), body].map((part) => Buffer.from(part)))
    }
    const short = (whole: Buffer) => {
      const length = whole.length - 4
      if (length < 128) return Buffer.concat([whole.subarray(0, 1), Uint8Array.of(length), whole.subarray(4)])
      return length < 256 ? Buffer.concat([whole.subarray(0, 1), Uint8Array.of(0x81, length), whole.subarray(4)]) : whole
    }
    const integer = (bytes: Uint8Array) => short(element(2, new Uint8Array((bytes[0] as number) >= 128 ? 1 : 0), bytes))
    const key = short(element(0x30, integer(modulus), integer(exponent)))
    const algorithm = Buffer.from('300d06092a864886f70d0101010500', 'hex')
    return pem(short(element(0x30, algorithm, short(element(3, new Uint8Array(1), key)))))
  }

  it('is refused if an RSA modulus is too small, too large or even, or the exponent is weak', async () => {
    const { n, e } = RSA_PAIR.publicKey.export({ format: 'jwk' })
    const [modulus, exponent] = [n, e].map((text) => Uint8Array.from(Buffer.from(text as string, 'base64url'))) as [
      Uint8Array,
      Uint8Array,
    ]
    const good = await ask(kernel, 'POST', 'keys/public/import', { type: 'rsa-2048', public_key: rsa(modulus, exponent) })
    expect(good.status).toBe(204)
    await remove(kernel, 'public')
    const even = modulus.map((byte, at) => (at === 255 ? byte & 0xfe : byte))
    await spoilt(rsa(even, exponent), 'rsa-2048', /odd/)
    await spoilt(rsa(modulus.subarray(0, 128), exponent), 'rsa-2048', /modulus/)
    await spoilt(rsa(Buffer.concat([modulus, modulus]), exponent), 'rsa-2048', /modulus/)
    for (const weak of [[1], [2], [1, 0, 0], [1, 0, 0, 0, 1]])
      await spoilt(rsa(modulus, Uint8Array.from(weak)), 'rsa-2048', /exponent/)
    await spoilt(rsa(modulus, modulus), 'rsa-2048', /exponent/)
  })
})
