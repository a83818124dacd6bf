import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import fc from '../fixtures/fast-check.ts'
import { anySize, ask, base64, bytesOf, flipBit, partsOf, RUNS, refusalOf, SYMMETRIC, small, some } from './support.ts'

let kernel: Kernel

beforeAll(async () => {
  kernel = await createDevKernel()
  for (const type of SYMMETRIC) {
    await kernel.transit.createKey({ name: type, type, derived: true, convergent_encryption: true })
    await kernel.transit.rotateKey({ name: type })
    await kernel.transit.createKey({ name: `${type}-random`, type, derived: true })
  }
})
afterAll(() => kernel.close())

const NONCE_BYTES = { 'aes128-gcm96': 12, 'aes256-gcm96': 12, 'chacha20-poly1305': 12, 'xchacha20-poly1305': 24 } as const

describe.each(SYMMETRIC)('a convergent key of type %s', (name) => {
  it('encrypts equal plaintext, context and associated data to equal ciphertexts, by path or typed call, single or in a batch', async () => {
    await fc.assert(
      fc.asyncProperty(anySize, some, anySize, async (plaintext, context, associated_data) => {
        const item = { plaintext, context, associated_data }
        const wire = { plaintext: base64(plaintext), context: base64(context), associated_data: base64(associated_data) }
        const { ciphertext } = await kernel.transit.encrypt({ name, ...item })
        const again = await kernel.transit.encryptBatch({ name, batch_input: [item, item] })
        const byPath = await ask(kernel, 'POST', `encrypt/${name}`, wire)
        expect(again.batch_results).toMatchObject([{ ciphertext }, { ciphertext }])
        expect(byPath.data['ciphertext']).toBe(ciphertext)
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('uses another nonce if the plaintext, the context or the key version differs', async () => {
    await fc.assert(
      fc.asyncProperty(some, some, fc.nat(), async (plaintext, context, bit) => {
        const bodies = await Promise.all([
          kernel.transit.encrypt({ name, plaintext, context }),
          kernel.transit.encrypt({ name, plaintext: flipBit(plaintext, bit), context }),
          kernel.transit.encrypt({ name, plaintext, context: flipBit(context, bit) }),
          kernel.transit.encrypt({ name, plaintext, context, key_version: 1 }),
        ])
        const nonces = bodies.map(({ ciphertext }) => base64(partsOf(ciphertext).body.subarray(0, NONCE_BYTES[name])))
        expect(new Set(nonces).size).toBe(bodies.length)
        const texts = bodies.map(({ ciphertext }) => base64(partsOf(ciphertext).body.subarray(NONCE_BYTES[name])))
        expect(new Set(texts).size).toBe(bodies.length)
      }),
      { numRuns: RUNS },
    )
  })

  it('uses another nonce if the associated data differ, even if their concatenation with the plaintext is the same', async () => {
    await fc.assert(
      fc.asyncProperty(some, some, some, fc.nat(), async (first, two, context, bit) => {
        const both = Uint8Array.from([...first, ...two])
        const items = [
          { plaintext: two, associated_data: first },
          { plaintext: first, associated_data: two },
          { plaintext: two, associated_data: flipBit(first, bit) },
          { plaintext: both, associated_data: new Uint8Array(0) },
          { plaintext: new Uint8Array(0), associated_data: both },
          { plaintext: two, associated_data: new Uint8Array(0) },
        ]
        const distinct = new Set(items.map(({ plaintext, associated_data }) => `${base64(plaintext)} ${base64(associated_data)}`))
        const batch_input = items.map((item) => ({ ...item, context }))
        const { batch_results } = await kernel.transit.encryptBatch({ name, batch_input })
        const bodies = batch_results.map((result) => partsOf(result.error ? '' : result.ciphertext).body)
        expect(new Set(bodies.map((body) => base64(body.subarray(0, NONCE_BYTES[name])))).size).toBe(distinct.size)
      }),
      { numRuns: RUNS },
    )
  })

  it('rewraps a ciphertext to the one that encryption under the latest version returns', async () => {
    await fc.assert(
      fc.asyncProperty(small, some, anySize, async (plaintext, context, associated_data) => {
        const old = await kernel.transit.encrypt({ name, plaintext, context, associated_data, key_version: 1 })
        const renewed = await kernel.transit.rewrap({ name, ciphertext: old.ciphertext, context, associated_data })
        expect(renewed).toEqual(await kernel.transit.encrypt({ name, plaintext, context, associated_data }))
      }),
      { numRuns: RUNS / 2 },
    )
  })
})

/** Plaintexts and associated data with more bytes in total are encrypted in steps. */
const BORDER = 131_072
const LENGTHS = [0, 1, BORDER - 65, BORDER - 32, BORDER - 16, BORDER - 15, BORDER, BORDER + 1, 3 * BORDER]

it.each(LENGTHS)('associated data of %i bytes can be used for encryption, rewrapping and data keys', async (length) => {
  for (const type of SYMMETRIC)
    for (const name of [type, `${type}-random`]) {
      const bound = { name, associated_data: bytesOf(length, 1), context: bytesOf(4, 1) }
      const plaintext = bytesOf(32, 2)
      const { ciphertext } = await kernel.transit.encrypt({ ...bound, plaintext, key_version: 1 })
      const renewed = await kernel.transit.rewrap({ ...bound, ciphertext })
      expect(await kernel.transit.decrypt({ ...bound, ciphertext: renewed.ciphertext })).toEqual({ plaintext })
      const made = await kernel.transit.generateDataKey({ ...bound, kind: 'plaintext', bits: 512 })
      expect(await kernel.transit.decrypt({ ...bound, ciphertext: made.ciphertext })).toEqual({ plaintext: made.plaintext })
    }
})

describe.each(SYMMETRIC)('a derived key of type %s without convergent encryption', (type) => {
  const name = `${type}-random`

  it('never creates two equal ciphertexts', async () => {
    const item = { plaintext: bytesOf(20, 1), context: bytesOf(4, 1) }
    const { batch_results } = await kernel.transit.encryptBatch({ name, batch_input: Array.from({ length: RUNS }, () => item) })
    expect(new Set(batch_results.map((result) => (result.error ? '' : result.ciphertext))).size).toBe(RUNS)
  })

  it('requires a context for encryption, decryption and rewrapping', async () => {
    const { ciphertext } = await kernel.transit.encrypt({ name, plaintext: bytesOf(3, 1), context: bytesOf(3, 1) })
    for (const call of [
      kernel.transit.encrypt({ name, plaintext: bytesOf(3, 1) }),
      kernel.transit.decrypt({ name, ciphertext }),
      kernel.transit.rewrap({ name, ciphertext }),
      kernel.transit.decrypt({ name, ciphertext, context: new Uint8Array(0) }),
    ]) {
      expect(await refusalOf(call)).toMatchObject({ code: 'ERR_INVALID_REQUEST', status: 400 })
    }
  })
})
