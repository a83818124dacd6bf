/**
 * Properties of every key type that encrypts, by path and typed call.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kernel } from '../../src/index.ts'
import { createRsaKey } from '../engines/import-blob.ts'
import fc from '../fixtures/fast-check.ts'
import { kernelWithWrappingKey } from '../fixtures/wrapping-kernel.ts'
import {
  anySize,
  ask,
  base64,
  bytesOf,
  FEW,
  flipBit,
  joined,
  partsOf,
  RSA_MOST,
  RSA_OF_TIER,
  RUNS,
  refusalOf,
  SYMMETRIC,
  small,
  some,
  upTo,
} from './support.ts'

interface Item {
  readonly plaintext: Uint8Array
  readonly associated_data?: Uint8Array
  readonly context?: Uint8Array
  readonly key_version?: number
}

interface Opening {
  readonly ciphertext: string
  readonly associated_data?: Uint8Array
  readonly context?: Uint8Array
}

const VERSIONS = 3
const SHAPES = ['plain', 'derived', 'convergent'] as const
type Shape = (typeof SHAPES)[number]

const AEAD_KEYS = SYMMETRIC.flatMap((type) => SHAPES.map((shape) => ({ name: `${type}-${shape}`, type, shape })))
const nameOf = (type: string, shape: Shape) => `${type}-${shape}`

const wireOf = (item: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value instanceof Uint8Array ? base64(value) : value]))

/** The four ways to call the same operation. */
const WAYS = ['typed', 'typed batch', 'path', 'path batch'] as const
type Way = (typeof WAYS)[number]
const way = fc.constantFrom(...WAYS)

async function encrypt(kernel: Kernel, how: Way, name: string, item: Item): Promise<string> {
  if (how === 'typed') return (await kernel.transit.encrypt({ name, ...item })).ciphertext
  if (how === 'typed batch') {
    const { batch_results } = await kernel.transit.encryptBatch({ name, batch_input: [item] })
    const [result] = batch_results
    if (result?.error) throw result.error
    return result!.ciphertext
  }
  const body = how === 'path' ? wireOf(item) : { batch_input: [wireOf(item)] }
  const { status, data } = await ask(kernel, 'POST', `encrypt/${name}`, body)
  expect(status).toBe(200)
  return how === 'path' ? String(data['ciphertext']) : (data['batch_results'] as { ciphertext: string }[])[0]!.ciphertext
}

async function decrypt(kernel: Kernel, how: Way, name: string, item: Opening): Promise<Uint8Array> {
  if (how === 'typed') return (await kernel.transit.decrypt({ name, ...item })).plaintext
  if (how === 'typed batch') {
    const { batch_results } = await kernel.transit.decryptBatch({ name, batch_input: [item] })
    const [result] = batch_results
    if (result?.error) throw result.error
    return result!.plaintext
  }
  const body = how === 'path' ? wireOf(item) : { batch_input: [wireOf(item)] }
  const { status, data } = await ask(kernel, 'POST', `decrypt/${name}`, body)
  expect(status).toBe(200)
  const text = how === 'path' ? data['plaintext'] : (data['batch_results'] as { plaintext: string }[])[0]!.plaintext
  return Uint8Array.from(Buffer.from(String(text), 'base64'))
}

let kernel: Kernel

beforeAll(async () => {
  kernel = await kernelWithWrappingKey()
  for (const { name, type, shape } of AEAD_KEYS) {
    await kernel.transit.createKey({ name, type, derived: shape !== 'plain', convergent_encryption: shape === 'convergent' })
  }
  for (const { name } of AEAD_KEYS) for (let version = 2; version <= VERSIONS; version++) await kernel.transit.rotateKey({ name })
  for (const type of RSA_OF_TIER) await createRsaKey(kernel, type)
})
afterAll(() => kernel.close())

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

describe.each(AEAD_KEYS)('the transit key $name', ({ name, shape }) => {
  const contextOf = (context: Uint8Array) => (shape === 'plain' ? {} : { context })
  const version = fc.nat({ max: VERSIONS })

  it('decrypts its own ciphertexts of any size, by path or typed call, single or in a batch', async () => {
    await fc.assert(
      fc.asyncProperty(
        anySize,
        small,
        some,
        version,
        way,
        way,
        async (plaintext, associated_data, context, key_version, a, b) => {
          const bound = { associated_data, ...contextOf(context) }
          const ciphertext = await encrypt(kernel, a, name, { plaintext, key_version, ...bound })
          expect(partsOf(ciphertext).version).toBe(key_version || VERSIONS)
          expect(same(await decrypt(kernel, b, name, { ciphertext, ...bound }), plaintext)).toBe(true)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('refuses every kind of modified ciphertext with one error message', async () => {
    const words = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        small,
        some,
        some,
        fc.nat(),
        fc.nat({ max: 5 }),
        async (plaintext, associated_data, context, bit, what) => {
          const bound = { associated_data, ...contextOf(context) }
          const { ciphertext } = await kernel.transit.encrypt({ name, plaintext, key_version: 2, ...bound })
          const { prefix, body } = partsOf(ciphertext)
          const forged: Opening[] = [
            { ...bound, ciphertext: joined(prefix, 2, flipBit(body, bit)) },
            { ...bound, ciphertext, associated_data: flipBit(associated_data, bit) },
            { ...contextOf(context), ciphertext },
            { ...bound, ciphertext: joined(prefix, bit % 2 === 0 ? 1 : 3, body) },
            { ...bound, ciphertext: joined(prefix, 2, body.subarray(0, bit % body.length)) },
            { ...bound, ciphertext: joined(prefix, 2, new Uint8Array([...body, bit & 255])) },
            ...(shape === 'plain' ? [] : [{ ...bound, ciphertext, context: flipBit(context, bit) }]),
          ]
          // For keys without a context the list is one element shorter, so the last element is chosen twice.
          const chosen = what === 5 ? forged.at(-1)! : forged[what]!
          const typed = await refusalOf(kernel.transit.decrypt({ name, ...chosen }))
          const byPath = await ask(kernel, 'POST', `decrypt/${name}`, wireOf(chosen))
          expect(typed).toMatchObject({ code: 'ERR_DECRYPTION_FAILED', status: 400 })
          expect(byPath).toMatchObject({ status: 400, data: {}, errors: [typed.message] })
          words.add(typed.message)
        },
      ),
      { numRuns: RUNS },
    )
    expect(words.size).toBe(1)
  })

  it('refuses a large ciphertext after a change of one bit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (bit) => {
        const bound = contextOf(bytesOf(8, 1))
        const { ciphertext } = await kernel.transit.encrypt({ name, plaintext: bytesOf(140_000, bit), ...bound })
        const { prefix, version: made, body } = partsOf(ciphertext)
        const forged = joined(prefix, made, flipBit(body, bit))
        expect(await refusalOf(kernel.transit.decrypt({ name, ciphertext: forged, ...bound }))).toMatchObject({
          code: 'ERR_DECRYPTION_FAILED',
        })
      }),
      { numRuns: FEW },
    )
  })

  it('rewraps a ciphertext to one with the same plaintext and associated data', async () => {
    await fc.assert(
      fc.asyncProperty(anySize, small, some, version, way, async (plaintext, associated_data, context, key_version, how) => {
        const bound = { associated_data, ...contextOf(context) }
        const old = await encrypt(kernel, how, name, { plaintext, key_version: 1, ...bound })
        const renewed = await kernel.transit.rewrap({ name, ciphertext: old, key_version, ...bound })
        expect(renewed.key_version).toBe(key_version || VERSIONS)
        expect(partsOf(renewed.ciphertext).version).toBe(key_version || VERSIONS)
        expect(same(await decrypt(kernel, how, name, { ciphertext: renewed.ciphertext, ...bound }), plaintext)).toBe(true)
        const bare = { ciphertext: renewed.ciphertext, ...contextOf(context) }
        if (associated_data.length > 0) await refusalOf(kernel.transit.decrypt({ name, ...bare }))
      }),
      { numRuns: RUNS / 2 },
    )
  })
})

describe.each(RSA_OF_TIER)('an RSA transit key of type %s', (name) => {
  it('decrypts its own ciphertexts up to the maximum plaintext size, by path or typed call, single or in a batch', async () => {
    await fc.assert(
      fc.asyncProperty(upTo(RSA_MOST[name]), fc.nat({ max: VERSIONS }), way, way, async (plaintext, key_version, a, b) => {
        const ciphertext = await encrypt(kernel, a, name, { plaintext, key_version })
        expect(same(await decrypt(kernel, b, name, { ciphertext }), plaintext)).toBe(true)
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('refuses to encrypt a plaintext above the maximum size, or associated data', async () => {
    const plaintext = new Uint8Array(RSA_MOST[name] + 1)
    expect(await refusalOf(kernel.transit.encrypt({ name, plaintext }))).toMatchObject({ status: 400 })
    const call = kernel.transit.encrypt({ name, plaintext: new Uint8Array(1), associated_data: new Uint8Array(1) })
    expect(await refusalOf(call)).toMatchObject({ status: 400 })
    expect(await ask(kernel, 'POST', `encrypt/${name}`, { plaintext: base64(plaintext) })).toMatchObject({ status: 400 })
  })

  it('refuses every kind of modified ciphertext with one error message', async () => {
    const aead = await kernel.transit.encrypt({ name: nameOf('aes256-gcm96', 'plain'), plaintext: bytesOf(3, 3) })
    const { prefix: own, body: sealed } = partsOf(aead.ciphertext)
    const forgedAead = joined(own, VERSIONS, flipBit(sealed, 0))
    const { message } = await refusalOf(kernel.transit.decrypt({ name: nameOf('aes256-gcm96', 'plain'), ciphertext: forgedAead }))
    await fc.assert(
      fc.asyncProperty(upTo(RSA_MOST[name]), fc.nat(), fc.nat({ max: 3 }), async (plaintext, bit, what) => {
        const { ciphertext } = await kernel.transit.encrypt({ name, plaintext, key_version: 2 })
        const { prefix, body } = partsOf(ciphertext)
        const forged = [
          joined(prefix, 2, flipBit(body, bit)),
          joined(prefix, bit % 2 === 0 ? 1 : 3, body),
          joined(prefix, 2, body.subarray(0, bit % body.length)),
          joined(prefix, 2, new Uint8Array([...body, bit & 255])),
        ]
        const refusal = await refusalOf(kernel.transit.decrypt({ name, ciphertext: forged[what]! }))
        expect(refusal).toMatchObject({ code: 'ERR_DECRYPTION_FAILED', status: 400, message })
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('rewraps a ciphertext to one with the same plaintext', async () => {
    const plaintext = bytesOf(RSA_MOST[name], 5)
    const { ciphertext } = await kernel.transit.encrypt({ name, plaintext, key_version: 1 })
    const renewed = await kernel.transit.rewrap({ name, ciphertext })
    expect(renewed.key_version).toBe(VERSIONS)
    expect(same(await decrypt(kernel, 'typed', name, { ciphertext: renewed.ciphertext }), plaintext)).toBe(true)
  })
})

describe('a batch decryption', () => {
  it('returns the result of each item at its index, whichever other items fail', async () => {
    const item = fc.record({ bytes: small, fate: fc.constantFrom('good', 'forged', 'empty', 'too new', 'not base64') })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SYMMETRIC), fc.array(item, { minLength: 1, maxLength: 12 }), async (type, items) => {
        const name = nameOf(type, 'plain')
        const made = await kernel.transit.encryptBatch({ name, batch_input: items.map(({ bytes }) => ({ plaintext: bytes })) })
        const spoil = (text: string, fate: string): string => {
          const { prefix, body } = partsOf(text)
          if (fate === 'forged') return joined(prefix, VERSIONS, flipBit(body, 1))
          if (fate === 'too new') return joined(prefix, VERSIONS + 1, body)
          if (fate === 'not base64') return `${text}*`
          return fate === 'empty' ? '' : text
        }
        const batch_input = made.batch_results.map((result, index) => ({
          ciphertext: spoil(result.error ? '' : result.ciphertext, items[index]!.fate),
          reference: `item ${index}`,
        }))
        const typed = await kernel.transit.decryptBatch({ name, batch_input })
        const byPath = await ask(kernel, 'POST', `decrypt/${name}`, { batch_input })
        const shown = byPath.data['batch_results'] as { plaintext: string; error?: string; reference: string }[]
        for (const [index, { bytes, fate }] of items.entries()) {
          const result = typed.batch_results[index]!
          expect(result.reference).toBe(`item ${index}`)
          expect(result.error === undefined).toBe(fate === 'good')
          if (!result.error) expect(same(result.plaintext, bytes)).toBe(true)
          else expect(result.error.status).toBe(400)
          expect(shown[index]).toMatchObject({ reference: `item ${index}`, plaintext: fate === 'good' ? base64(bytes) : '' })
          expect(shown[index]!.error).toBe(result.error?.message)
        }
        expect(byPath.status).toBe(items.every(({ fate }) => fate === 'good') ? 200 : 400)
      }),
      { numRuns: RUNS },
    )
  })
})
