import { describe, expect, it } from 'vitest'
import { KEY_TYPE_NAMES, keyType } from '../../src/engines/transit/key-types/index.ts'
import { type CryptoBackend, createKernel, type Kernel, keySeal, memoryStorage } from '../../src/index.ts'
import { BACKENDS } from '../fixtures/backends.ts'
import { runs } from '../fixtures/runs.ts'
import { bytesOf } from '../property/support.ts'

const SEAL = keySeal(bytesOf(32, 9))
const CIPHERS = KEY_TYPE_NAMES.filter((type) => keyType(type).canConverge)
const SIGNERS = ['ed25519', 'ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521'] as const
/** Sizes below and above the thresholds for acceleration and for slices, which differ between the types. */
const SIZES = [0, 10, 1_023, 1_024, 9_000, 9_001, 150_000, 1_200_000].slice(0, runs({ quick: 7, soak: 8 }))
const aad = bytesOf(7, 3)
const context = bytesOf(6, 6)

/** Runs `work` with one kernel per backend on the same store, one after the other. */
async function inTurn<T>(work: (kernel: Kernel, crypto: CryptoBackend) => Promise<T>): Promise<T[]> {
  const storage = memoryStorage()
  const results: T[] = []
  for (const crypto of BACKENDS) {
    const kernel = await createKernel({ storage, crypto, seal: SEAL, initialize: results.length === 0 })
    results.push(await work(kernel, crypto))
    await kernel.close()
  }
  return results
}

const batchOf = (of: number) => SIZES.map((size) => ({ plaintext: bytesOf(size, of), associated_data: aad, context }))

describe.each([true, false])(
  'ciphertexts of kernels that share a store but use different crypto backends (derived keys: %s)',
  (derived) => {
    it.each(CIPHERS)('with a key of type %s can be decrypted by every backend, in single calls and batches', async (type) => {
      const made: string[] = []
      await inTurn(async ({ transit }) => {
        if (made.length === 0) await transit.createKey({ name: 'k', type, derived })
        const { batch_results } = await transit.encryptBatch({ name: 'k', batch_input: batchOf(1) })
        made.push(...batch_results.map((item) => (item.error ? item.error.message : item.ciphertext)))
        for (const item of batchOf(1)) made.push((await transit.encrypt({ name: 'k', ...item })).ciphertext)
        const wrong = made.map((ciphertext) => ({ ciphertext, associated_data: bytesOf(7, 4), context }))
        const right = made.map((ciphertext) => ({ ciphertext, associated_data: aad, context }))
        const mixed = right.flatMap((item, index) => [item, wrong[index]!])
        const opened = await transit.decryptBatch({ name: 'k', batch_input: mixed })
        for (const [index, item] of opened.batch_results.entries()) {
          if (index % 2 === 1) expect(item.error?.code).toBe('ERR_DECRYPTION_FAILED')
          else if (item.error) throw item.error
          else expect(Buffer.compare(item.plaintext, bytesOf(SIZES[(index / 2) % SIZES.length]!, 1))).toBe(0)
        }
        const last = await transit.decrypt({ name: 'k', ...right.at(-1)! })
        expect(Buffer.compare(last.plaintext, bytesOf(SIZES.at(-1)!, 1))).toBe(0)
      })
      expect(new Set(made).size).toBe(made.length)
    })
  },
)

describe('signatures of kernels that share a store but use different crypto backends', () => {
  it.each(SIGNERS)('with a key of type %s are verified by every backend, in single calls and batches', async (name) => {
    const made: { readonly input: Uint8Array; readonly signature: string; readonly prehashed: boolean }[] = []
    await inTurn(async ({ transit }) => {
      if (made.length === 0) await transit.createKey({ name, type: name })
      for (const size of [0, 64, 200_000]) {
        const input = bytesOf(size, 1)
        made.push({ input, prehashed: false, ...(await transit.sign({ name, input })) })
      }
      const digest = bytesOf(32, 1)
      made.push({ input: digest, prehashed: true, ...(await transit.sign({ name, input: digest, prehashed: true })) })
      for (const { input, signature, prehashed } of made) {
        expect(await transit.verify({ name, input, signature, prehashed })).toEqual({ valid: true })
        const other = Uint8Array.of(1, ...input.subarray(0, 100))
        expect(await transit.verify({ name, input: other, signature, prehashed })).toEqual({ valid: false })
      }
      const batch_input = made.filter(({ prehashed }) => !prehashed).map(({ input, signature }) => ({ input, signature }))
      const { batch_results } = await transit.verifyBatch({ name, batch_input })
      expect(batch_results.map((item) => !item.error && item.valid)).toEqual(batch_input.map(() => true))
    })
    expect(made).toHaveLength(4 * BACKENDS.length)
  })
})
