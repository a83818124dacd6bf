/** How long RSA keys of 4,096 bits with `forgeRsa` block the process. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forgeRsa } from '../../src/adapters/crypto-forge/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { inReferenceMs, lowest } from '../fixtures/calibration.ts'
import { pkcs8Of, RSA_PAIR_4096 } from '../fixtures/rsa-keys.ts'
import { longestStretch } from '../large/stretch.ts'
import { bytesOf } from '../property/support.ts'
import { wrapped, wrappingKey } from './import-blob.ts'

/** Milliseconds of processor time without a pause. */
const MAX_MS = 50

const name = 'rsa'
const input = bytesOf(1_000_000, 1)
let kernel: Kernel
let made = 0

beforeAll(async () => {
  kernel = await createDevKernel({ rsa: await forgeRsa() })
  const ciphertext = wrapped(await wrappingKey(kernel), pkcs8Of(RSA_PAIR_4096))
  await kernel.transit.importKey({ name, type: 'rsa-4096', ciphertext })
})
afterAll(() => kernel.close())

const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  'a key is generated': () => kernel.transit.createKey({ name: `made-${made++}`, type: 'rsa-4096' }),
  'a wrapped key is imported': async () => {
    const ciphertext = wrapped(await wrappingKey(kernel), pkcs8Of(RSA_PAIR_4096))
    return kernel.transit.importKey({ name: `made-${made++}`, type: 'rsa-4096', ciphertext })
  },
  'a long message is signed and verified': async () => {
    const { signature } = await kernel.transit.sign({ name, input })
    return kernel.transit.verify({ name, input, signature })
  },
  'a batch is decrypted': async () => {
    const { ciphertext } = await kernel.transit.encrypt({ name, plaintext: input.subarray(0, 9) })
    return kernel.transit.decryptBatch({ name, batch_input: Array.from({ length: 20 }, () => ({ ciphertext })) })
  },
  'many messages are signed at a time': () =>
    Promise.all(Array.from({ length: 20 }, () => kernel.transit.sign({ name, input: input.subarray(0, 9) }))),
}

describe('forgeRsa blocks the process for at most 50 ms while', () => {
  it.each(Object.entries(WORK))('%s', async (_, work) => {
    const worst = await lowest(() => inReferenceMs(async () => (await longestStretch(work)).worst), MAX_MS)
    expect(worst).toBeLessThan(MAX_MS)
  })
})
