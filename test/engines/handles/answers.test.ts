/**
 * Compares key handles with the asynchronous methods for every key type and every parameter.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AnyBatch } from '../../../src/core/contract/operation.ts'
import { operations } from '../../../src/engines/transit/all-operations.ts'
import { KEY_TYPE_NAMES, KEY_TYPES } from '../../../src/engines/transit/key-types/index.ts'
import { createDevKernel, type Kernel, type TransitHandle } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { BACKENDS } from '../../fixtures/backends.ts'
import { pkcs8Of, RSA_PAIR, RSA_PAIR_3072, RSA_PAIR_4096 } from '../../fixtures/rsa-keys.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'
import { bytesOf, utf8 } from '../../property/support.ts'
import { wrapped, wrappingKey } from '../import-blob.ts'

const CHARACTERS = 256 * 1024
await Promise.all(Object.values(KEY_TYPES).flatMap(({ code }) => code.map((part) => part.load())))

const TYPES = KEY_TYPE_NAMES.filter((type) => type !== 'managed_key')
/** Stored key pairs, because generating them takes up to seconds. */
const RSA_OF: Readonly<Record<string, typeof RSA_PAIR>> = {
  'rsa-2048': RSA_PAIR,
  'rsa-3072': RSA_PAIR_3072,
  'rsa-4096': RSA_PAIR_4096,
}
const context = utf8('tenant 7')
const associated_data = utf8('customers/email/17')

type Method = 'encrypt' | 'decrypt' | 'hmac' | 'sign' | 'verify'
/** The first parameter, the member of the reply that is returned, and parameters that a handle does not accept. */
const METHODS: Readonly<Record<Method, readonly [first: string, answer: string, without: readonly string[]]>> = {
  encrypt: ['plaintext', 'ciphertext', ['type', 'convergent_encryption']],
  decrypt: ['ciphertext', 'plaintext', []],
  hmac: ['input', 'hmac', []],
  sign: ['input', 'signature', []],
  verify: ['input', 'valid', []],
}
const methodOf =
  (handle: TransitHandle, method: Method) =>
  (first: unknown, options?: object): unknown =>
    (handle as unknown as Record<string, (first: unknown, options?: object) => unknown>)[`${method}Sync`]?.(first, options)

/** The visible parts of an error. */
const seen = (error: unknown) => {
  const { name, message, code, status } = error as { name: string; message: string; code?: string; status?: number }
  return { name, message, code, status }
}
const sync = (run: () => unknown) => {
  try {
    return { value: run() }
  } catch (error) {
    return seen(error)
  }
}

describe.each(BACKENDS.map((crypto) => [crypto.name, crypto] as const))('key handles with the %s backend', (_, crypto) => {
  let kernel: Kernel
  beforeEach(async () => {
    kernel = await kernelWithWrappingKey({ crypto, clock: fakeClock() })
  })
  afterEach(() => kernel.close())

  describe.each(TYPES)('for keys of type %s', (type) => {
    const { encryptor, signer, canDerive: derivation, keySizes: sizes } = KEY_TYPES[type]
    const sizesOf = type.startsWith('rsa') ? [0, 10, 100] : [0, 32, 700, 9_001, 140_000]
    const kinds = derivation ? [false, true] : [false]

    it.each(kinds)('accept results of the asynchronous methods, and the other way round (derived: %s)', async (derived) => {
      const name = 'k'
      const pair = RSA_OF[type]
      if (pair) {
        const ciphertext = wrapped(await wrappingKey(kernel), pkcs8Of(pair))
        await kernel.transit.importKey({ name, type, ciphertext })
      } else await kernel.transit.createKey({ name, type, derived, ...(sizes ? { key_size: 32 } : {}) })
      await using handle = await kernel.transit.keyHandle(name)
      expect(handle.ready).toBe(true)
      const more = derived ? { context } : {}
      for (const size of sizesOf) {
        const input = bytesOf(size, 1)
        if (encryptor) {
          const options = { ...more, ...(encryptor.aead ? { associated_data } : {}) }
          const ciphertext = handle.encryptSync(input, options)
          expect(Buffer.compare((await kernel.transit.decrypt({ name, ciphertext, ...options })).plaintext, input)).toBe(0)
          const made = await kernel.transit.encrypt({ name, plaintext: input, ...options })
          expect(Buffer.compare(handle.decryptSync(made.ciphertext, options), input)).toBe(0)
        }
        const { hmac } = await kernel.transit.hmac({ name, input })
        expect(handle.hmacSync(input)).toBe(hmac)
        expect(handle.verifySync(input, { hmac })).toBe(true)
        if (signer) {
          const signature = handle.signSync(input, more)
          expect(await kernel.transit.verify({ name, input, signature, ...more })).toMatchObject({ valid: true })
          const made = await kernel.transit.sign({ name, input, ...more })
          expect(handle.verifySync(input, { signature: made.signature, ...more })).toBe(true)
          expect(handle.verifySync(bytesOf(size + 1, 2), { signature: made.signature, ...more })).toBe(false)
        }
      }
    })
  })

  it('make the same convergent ciphertext as the asynchronous method', async () => {
    await kernel.transit.createKey({ name: 'c', derived: true, convergent_encryption: true })
    await using handle = await kernel.transit.keyHandle('c')
    for (const plaintext of [utf8('same'), bytesOf(150_000, 4)]) {
      const { ciphertext } = await kernel.transit.encrypt({ name: 'c', plaintext, context, associated_data })
      expect(handle.encryptSync(plaintext, { context, associated_data })).toBe(ciphertext)
      expect(Buffer.compare(handle.decryptSync(ciphertext, { context, associated_data }), plaintext)).toBe(0)
    }
  })

  it('accept at most 256 KiB of input and associated data in total', async () => {
    await kernel.transit.createKey({ name: 'k' })
    await using handle = await kernel.transit.keyHandle('k')
    expect(handle.hmacSync(bytesOf(CHARACTERS, 1))).toMatch(/^strongroom:v1:/)
    const long = { name: 'KernelError', code: 'ERR_REQUEST_TOO_LARGE', status: 413 }
    expect(sync(() => handle.hmacSync(bytesOf(CHARACTERS + 1, 1)))).toMatchObject(long)
    expect(sync(() => handle.encryptSync(bytesOf(CHARACTERS, 1), { associated_data: bytesOf(1, 1) }))).toMatchObject(long)
    expect(sync(() => handle.decryptSync('x'.repeat(CHARACTERS + 1)))).toMatchObject(long)
  })
})

describe('errors of key handles', () => {
  let kernel: Kernel
  beforeEach(async () => {
    kernel = await createDevKernel({ clock: fakeClock() })
    await kernel.transit.createKey({ name: 'aead' })
    await kernel.transit.createKey({ name: 'derived', type: 'ed25519', derived: true })
    await kernel.transit.createKey({ name: 'ecdsa', type: 'ecdsa-p256' })
    await kernel.transit.createKey({ name: 'mac', type: 'hmac' })
    await kernel.transit.rotateKey({ name: 'aead' })
    await kernel.transit.rotateKey({ name: 'aead' })
    await kernel.transit.configureKey({ name: 'aead', min_decryption_version: 2, min_encryption_version: 3 })
  })
  afterEach(() => kernel.close())

  /** Values of every JavaScript type, valid and invalid. */
  const VALUES: readonly unknown[] = [
    undefined,
    null,
    true,
    0,
    1,
    2,
    4,
    -1,
    1.5,
    Number.NaN,
    10n,
    '',
    'x',
    'auto',
    'pss',
    'sha2-256',
    'none',
    'a.',
    'a/b',
    '\ud800',
    'strongroom:v1:AAAA',
    'strongroom:v2:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'strongroom:v9:AAAA',
    [],
    {},
    [1],
    utf8('x'),
    bytesOf(12, 1),
    new Uint8Array(0),
    new Uint16Array(2),
    new ArrayBuffer(4),
    Symbol('s'),
    () => 1,
    new Date(0),
  ]

  it.each(Object.entries(METHODS))(
    'are the same as those of the asynchronous %s method for every invalid parameter',
    async (method, [first, answer, without]) => {
      const { fields, item } = operations[method as Method] as unknown as AnyBatch
      const names = [...Object.keys(fields), ...Object.keys(item)].filter((name) => name !== 'name' && !without.includes(name))
      expect(names).toContain(first)
      for (const name of ['aead', 'derived', 'ecdsa', 'mac']) {
        await using handle = await kernel.transit.keyHandle(name)
        const call = methodOf(handle, method as Method)
        const asynchronous = (args: object): Promise<Record<string, unknown>> =>
          (kernel.transit[method as Method] as unknown as (args: object) => Promise<Record<string, unknown>>).call(
            kernel.transit,
            args,
          )
        const good = method === 'decrypt' ? 'strongroom:v3:AAAA' : utf8('x')
        for (const parameter of [...names, 'no_such_parameter', '__proto__x', 'toString'])
          for (const value of VALUES) {
            const args = { [first]: good, [parameter]: value }
            const { [first]: leading, ...options } = args
            const came = await asynchronous({ name, ...args }).then(
              (reply) => ({ value: reply[answer] }),
              (error: unknown) => seen(error),
            )
            const now = sync(() => call(leading, options))
            const what = `${method}(${name}) ${parameter}: ${typeof value === 'symbol' ? 'symbol' : String(value)}`
            // Ciphertexts and signatures differ each time, so compare only whether the call succeeded.
            if ('value' in came && came.value !== undefined && typeof came.value === 'string')
              expect('value' in now, what).toBe(true)
            else expect(now, what).toEqual(came)
          }
      }
    },
  )

  it('are thrown for parameters that only key creation has or that the handle passes itself', async () => {
    await using handle = await kernel.transit.keyHandle('aead')
    for (const [method, [first, , without]] of Object.entries(METHODS))
      for (const name of ['name', first, ...without])
        expect(
          sync(() => methodOf(handle, method as Method)(utf8('x'), { [name]: 'x' })),
          `${method} ${name}`,
        ).toMatchObject({
          name: 'TypeError',
          message: method === 'decrypt' ? expect.any(String) : `${name}: unknown argument`,
        })
  })

  it.each([null, 1, 'x', true])('are thrown if the options are %s', async (options) => {
    await using handle = await kernel.transit.keyHandle('aead')
    expect(sync(() => methodOf(handle, 'hmac')(utf8('x'), options as never))).toMatchObject({ name: 'TypeError' })
  })

  it('are thrown by keyHandle for an invalid name, invalid options or a missing key', async () => {
    const open = kernel.transit.keyHandle as (name: unknown, options?: unknown) => Promise<unknown>
    for (const name of [undefined, null, 1, {}, [], utf8('x')]) await expect(open(name)).rejects.toThrow(TypeError)
    for (const options of [null, 1, { reserve: -1 }, { reserve: 1.5 }, { reserve: 2 ** 20 + 1 }, { reserve: '1' }, { other: 1 }])
      await expect(open('aead', options)).rejects.toThrow(TypeError)
    await expect(open('none')).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      status: 400,
      message: 'name: there is no key named none',
    })
    for (const name of ['a.', 'a/b', ''])
      expect(await open(name).catch(seen), name).toEqual(
        await kernel.transit.decrypt({ name, ciphertext: 'strongroom:v1:AAAA' }).catch(seen),
      )
  })

  it('are thrown by decryptTextSync if the plaintext is not valid UTF-8', async () => {
    await using handle = await kernel.transit.keyHandle('aead')
    for (const text of ['', 'ada@example.org', '\ufeffwith a mark', 'Ünïcødé 🔑'])
      expect(handle.decryptTextSync(handle.encryptSync(utf8(text)))).toBe(text)
    const noText = handle.encryptSync(new Uint8Array([0xff, 0xfe]))
    expect(sync(() => handle.decryptTextSync(noText))).toMatchObject({ name: 'KernelError', status: 400 })
    expect([...handle.decryptSync(noText)]).toEqual([0xff, 0xfe])
  })
})
