/** Compares transit with `forgeRsa` and transit with the RSA of the platform, on copies of one store. */
import {
  constants,
  createPrivateKey,
  createPublicKey,
  sign as opensslSign,
  verify as opensslVerify,
  privateDecrypt,
} from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forgeRsa } from '../../src/adapters/crypto-forge/index.ts'
import { rsaNumbersOf, rsaPkcs8 } from '../../src/core/crypto/rsa/index.ts'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage, type RsaPort } from '../../src/index.ts'
import { seededEntropy } from '../../src/testing/index.ts'
import { copyOfRecords, recordsOf } from '../fixtures/copied-store.ts'
import { pkcs8Of, RSA_PAIRS } from '../fixtures/rsa-keys.ts'
import { kernelWithWrappingKey, storeWithWrappingKey } from '../fixtures/wrapping-kernel.ts'
import { ask, base64, bytesOf, flipBit, HASHES, partsOf, joined as textOf, utf8 } from '../property/support.ts'
import { HASH_FUNCTIONS, importByPath, wrapped, wrappingKey } from './import-blob.ts'

const TYPES = ['rsa-2048', 'rsa-3072'] as const
const SALTS = ['auto', 'hash', '0', '20'] as const
const [PAIR] = RSA_PAIRS['rsa-2048']
const input = bytesOf(1000, 1)
const rsa = await forgeRsa()

let forge: Kernel
let platform: Kernel
let recipient: string

beforeAll(async () => {
  const store = await storeWithWrappingKey()
  const first = await kernelWithWrappingKey({ rsa }, store)
  recipient = await wrappingKey(first)
  for (const type of TYPES) {
    const ciphertext = wrapped(recipient, pkcs8Of(RSA_PAIRS[type][0]))
    await first.transit.importKey({ name: type, type, ciphertext, exportable: true, allow_plaintext_backup: true })
  }
  await first.close()
  const copy = async () => ({ ...store, storage: await copyOfRecords(await recordsOf(store.storage)) })
  ;[forge, platform] = [await kernelWithWrappingKey({ rsa }, await copy()), await kernelWithWrappingKey({}, await copy())]
})
afterAll(async () => {
  await forge.close()
  await platform.close()
})

const directions = () =>
  [
    [forge, platform],
    [platform, forge],
    [forge, forge],
  ] as const

describe.each(TYPES)('an %s key with forgeRsa', (name) => {
  it('decrypts what the platform encrypts, and the reverse', async () => {
    for (const [from, to] of directions()) {
      const { ciphertext } = await from.transit.encrypt({ name, plaintext: input.subarray(0, 190) })
      expect((await to.transit.decrypt({ name, ciphertext })).plaintext).toEqual(input.subarray(0, 190))
    }
  })

  it('verifies PKCS#1 v1.5 signatures of every hash from the platform, and the reverse', async () => {
    for (const hash_algorithm of HASHES) {
      const rules = { name, input, hash_algorithm, signature_algorithm: 'pkcs1v15' } as const
      const signatures = await Promise.all([forge, platform].map(async ({ transit }) => (await transit.sign(rules)).signature))
      expect(signatures[0]).toBe(signatures[1])
      for (const { transit } of [forge, platform])
        expect((await transit.verify({ ...rules, signature: signatures[0] as string })).valid).toBe(true)
    }
  })

  it('verifies PSS signatures of every hash and salt length from the platform, and the reverse', async () => {
    for (const hash_algorithm of HASHES)
      for (const salt_length of SALTS)
        for (const [from, to] of directions()) {
          const rules = { name, input, hash_algorithm, signature_algorithm: 'pss', salt_length } as const
          const { signature } = await from.transit.sign(rules)
          expect((await to.transit.verify({ ...rules, signature })).valid).toBe(true)
          expect((await to.transit.verify({ ...rules, signature, salt_length: '19' })).valid).toBe(false)
          expect((await to.transit.verify({ ...rules, signature, input: utf8('another') })).valid).toBe(false)
        }
  })

  it('signs digests, with or without an identifier of the hash in the padding', async () => {
    const digest = { name, input: bytesOf(32, 2), prehashed: true, signature_algorithm: 'pkcs1v15' } as const
    for (const hash_algorithm of ['sha2-256', 'sha3-256', 'none'] as const)
      for (const [from, to] of directions()) {
        const { signature } = await from.transit.sign({ ...digest, hash_algorithm })
        expect((await to.transit.verify({ ...digest, hash_algorithm, signature })).valid).toBe(true)
      }
  })

  it('is exported in every format like the key of the platform', async () => {
    for (const key_type of ['signing-key', 'encryption-key', 'public-key'] as const)
      for (const format of [undefined, 'der', 'pem'] as const) {
        const args = { name, key_type, ...(format && { format }) }
        expect((await forge.transit.exportKey(args)).keys).toEqual((await platform.transit.exportKey(args)).keys)
      }
    const { backup } = await forge.transit.backupKey({ name })
    await platform.transit.restoreKey({ name: `${name}-restored`, backup })
    const { ciphertext } = await forge.transit.encrypt({ name, plaintext: input.subarray(0, 9) })
    expect((await platform.transit.decrypt({ name: `${name}-restored`, ciphertext })).plaintext).toEqual(input.subarray(0, 9))
  })

  it('computes synchronous calls in one piece', async () => {
    const handle = await forge.transit.keyHandle(name)
    const ciphertext = handle.encryptSync(input.subarray(0, 50))
    expect(handle.decryptSync(ciphertext)).toEqual(input.subarray(0, 50))
    expect((await platform.transit.verify({ name, input, signature: handle.signSync(input) })).valid).toBe(true)
    handle.close()
  })
})

describe('forgeRsa', () => {
  it('agrees with OpenSSL directly', async () => {
    const { keys } = await forge.transit.exportKey({ name: 'rsa-2048', key_type: 'signing-key' })
    const own = createPrivateKey(keys['1'] as string)
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    const signature = textOf('strongroom', 1, new Uint8Array(opensslSign('sha256', input, { key: own, ...padding })))
    expect((await forge.transit.verify({ name: 'rsa-2048', input, signature, salt_length: 'hash' })).valid).toBe(true)
    const signed = await forge.transit.sign({ name: 'rsa-2048', input, salt_length: 'hash' })
    expect(opensslVerify('sha256', input, { key: createPublicKey(own), ...padding }, partsOf(signed.signature).body)).toBe(true)
    const { ciphertext } = await forge.transit.encrypt({ name: 'rsa-2048', plaintext: input.subarray(0, 7) })
    const oaep = { key: own, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    expect(new Uint8Array(privateDecrypt(oaep, partsOf(ciphertext).body))).toEqual(input.subarray(0, 7))
  })

  it.each(HASH_FUNCTIONS)('unwraps imported keys with %s and wraps exported keys', async (hash) => {
    const name = `imported-${hash}`
    const ciphertext = wrapped(recipient, pkcs8Of(PAIR), hash)
    await forge.transit.importKey({ name, type: 'rsa-2048', ciphertext, hash_function: hash, exportable: true })
    const { signature } = await forge.transit.sign({ name, input })
    expect((await platform.transit.verify({ name: 'rsa-2048', input, signature })).valid).toBe(true)

    const destination = `wrapping-${hash}`
    await forge.transit.importKey({ name: destination, type: 'rsa-4096', public_key: recipient })
    const { keys } = await forge.transit.exportWrappedKey({ destination, source: name, hash })
    const moved = { name: `moved-${hash}`, type: 'rsa-2048', hash_function: hash } as const
    await platform.transit.importKey({ ...moved, ciphertext: Uint8Array.from(Buffer.from(keys['1'] as string, 'base64')) })
    expect((await platform.transit.verify({ name: moved.name, input, signature })).valid).toBe(true)
  })

  it('refuses wrong input like the platform, with the same status and message', async () => {
    const { ciphertext } = await platform.transit.encrypt({ name: 'rsa-2048', plaintext: input.subarray(0, 9) })
    const { signature } = await platform.transit.sign({ name: 'rsa-2048', input })
    const changed = (text: string, bit: number) => textOf('strongroom', 1, flipBit(partsOf(text).body, bit))
    const short = (text: string) => textOf('strongroom', 1, partsOf(text).body.subarray(1))
    const highest = textOf('strongroom', 1, new Uint8Array(256).fill(0xff))
    const digest = base64(bytesOf(31, 3))
    const requests: readonly (readonly [string, object])[] = [
      ['encrypt/rsa-2048', { plaintext: base64(bytesOf(191, 1)) }],
      ...[changed(ciphertext, 0), changed(ciphertext, 2047), short(ciphertext), highest, textOf('strongroom', 2, input)].map(
        (text) => ['decrypt/rsa-2048', { ciphertext: text }] as const,
      ),
      ...[changed(signature, 0), changed(signature, 2047), short(signature), highest].map(
        (text) => ['verify/rsa-2048', { input: base64(input), signature: text }] as const,
      ),
      ['sign/rsa-2048', { input: digest, prehashed: true }],
      ['sign/rsa-2048', { input: digest, prehashed: true, signature_algorithm: 'pkcs1v15' }],
      ['sign/rsa-2048', { input: digest, hash_algorithm: 'none' }],
      [
        'sign/rsa-2048',
        { input: base64(bytesOf(246, 1)), prehashed: true, hash_algorithm: 'none', signature_algorithm: 'pkcs1v15' },
      ],
      ['sign/rsa-2048', { input: digest, salt_length: '223' }],
      ['sign/rsa-2048', { input: digest, signature_algorithm: 'other' }],
      ['keys/new', { type: 'rsa-2048', derived: true }],
      ['keys/new/import', { type: 'rsa-2048', ciphertext: base64(new Uint8Array(600)) }],
      ['keys/new/import', { type: 'rsa-2048', ciphertext: base64(new Uint8Array(100)) }],
      ['keys/new/import', { type: 'rsa-3072', ciphertext: base64(wrapped(recipient, pkcs8Of(PAIR))) }],
    ]
    for (const [path, body] of requests) {
      const answers = await Promise.all([forge, platform].map((kernel) => ask(kernel, 'POST', path, body)))
      expect(answers[0], path).toEqual(answers[1])
    }
  })

  it('refuses an imported key whose numbers do not belong together, like the platform', async () => {
    const numbers = rsaNumbersOf(pkcs8Of(PAIR))
    const other = rsaNumbersOf(pkcs8Of(RSA_PAIRS['rsa-2048'][1]))
    // The components of this key are consistent, but one factor is not prime.
    const composite = { ...numbers, p: numbers.p * 3n, n: numbers.p * 3n * numbers.q }
    for (const unsound of [{ ...numbers, n: other.n }, { ...numbers, d: numbers.d + 2n }, { ...numbers, e: 1n }, composite]) {
      const answers = await Promise.all(
        [forge, platform].map((kernel) => importByPath(kernel, 'unsound', 'rsa-2048', rsaPkcs8(unsound))),
      )
      expect(answers[0]?.status).toBe(400)
      expect(answers[0]).toEqual(answers[1])
    }
  })

  it('signs long messages, and many at a time', async () => {
    const long = bytesOf(300_000, 4)
    const { signature } = await forge.transit.sign({ name: 'rsa-2048', input: long })
    expect((await platform.transit.verify({ name: 'rsa-2048', input: long, signature })).valid).toBe(true)
    const batch_input = Array.from({ length: 40 }, (_, at) => ({ input: bytesOf(10, at) }))
    const { batch_results } = await forge.transit.signBatch({ name: 'rsa-2048', batch_input })
    const items = batch_results.map((result, at) => ({
      ...batch_input[at]!,
      signature: (result as { signature: string }).signature,
    }))
    const verified = await platform.transit.verifyBatch({ name: 'rsa-2048', batch_input: items })
    expect(verified.batch_results.every((result) => 'valid' in result && result.valid)).toBe(true)
  })

  it('draws all randomness from the entropy of the kernel', async () => {
    const made = async () => {
      const kernel = await createDevKernel({ rsa, entropy: seededEntropy('forge') })
      await kernel.transit.createKey({ name: 'k', type: 'rsa-2048' })
      const { public_key } = (await kernel.transit.readKey({ name: 'k' })).keys['1'] as { public_key: string }
      const { signature } = await kernel.transit.sign({ name: 'k', input })
      const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext: input.subarray(0, 5) })
      await kernel.close()
      return { public_key, signature, ciphertext }
    }
    expect(await made()).toEqual(await made())
  })

  it('signs certificate requests and rotates keys', async () => {
    const kernel = await createDevKernel({ rsa })
    await kernel.transit.createKey({ name: 'k', type: 'rsa-2048' })
    await kernel.transit.rotateKey({ name: 'k' })
    expect((await kernel.transit.signCsr({ name: 'k' })).csr).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----/)
    await kernel.close()
  })
})

describe('the option rsa', () => {
  const open = (more: object) => createKernel({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)), ...more })

  it('is refused if it is not an RSA port, such as a promise', async () => {
    for (const wrong of [null, 7, {}, forgeRsa()])
      await expect(open({ rsa: wrong as RsaPort })).rejects.toThrow(
        new TypeError('createKernel: rsa has no method open; pass the result of await forgeRsa()'),
      )
  })

  it('is refused together with workers', async () => {
    await expect(open({ rsa, workers: { size: 1, open: () => ({}) } })).rejects.toThrow(/rsa and workers must not both be given/)
  })
})
