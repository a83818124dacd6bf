/** Which batches use worker threads: only those whose items take longer to compute than to transfer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import type { WorkersPort } from '../../src/core/contract/workers-port.ts'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import { type CryptoBackend, createDevKernel, type Kernel } from '../../src/index.ts'

/** Threads that do nothing, so that the event loop does the work. */
function countingWorkers(): { readonly port: WorkersPort; orders: number } {
  const counted = {
    orders: 0,
    port: {
      size: 2,
      open: () => ({
        size: 2,
        least: 500,
        run: () => {
          counted.orders++
          return Promise.resolve(undefined)
        },
        close: () => Promise.resolve(),
      }),
    },
  }
  return counted
}

const BACKENDS: Readonly<Record<string, () => CryptoBackend>> = {
  default: nobleCrypto,
  node: nodeCrypto,
  noble: () => nobleCrypto({ accelerate: false }),
}

describe.each(Object.keys(BACKENDS))('a kernel with worker threads and the backend %s', (backend) => {
  const workers = countingWorkers()
  let kernel: Kernel
  beforeAll(async () => {
    kernel = await createDevKernel({ crypto: BACKENDS[backend]!(), workers: workers.port })
  })
  afterAll(() => kernel.close())

  async function usesThreads(
    type: string,
    operation: 'encrypt' | 'hmac' | 'sign',
    bytes: number,
    items: number,
  ): Promise<boolean> {
    const name = type
    await kernel.transit.createKey({ name, type } as never)
    workers.orders = 0
    const plaintext = new Uint8Array(bytes)
    const batch_input = Array.from({ length: items }, () => (operation === 'encrypt' ? { plaintext } : { input: plaintext }))
    await kernel.transit[`${operation}Batch`]({ name, batch_input } as never)
    return workers.orders > 0
  }

  it.each([32, 1_024, 16_384])('encrypts %i bytes with AES in threads only if AES is computed in JavaScript', async (bytes) => {
    const isLong = backend === 'noble' && bytes > 32
    expect(await usesThreads('aes256-gcm96', 'encrypt', bytes, 300)).toBe(isLong)
  })

  it.each([32, 1_024, 4_096])(
    'encrypts %i bytes with ChaCha20 in threads only if they are long and computed in JavaScript',
    async (bytes) => {
      const isLong = backend === 'noble' && bytes > 32
      expect(await usesThreads('chacha20-poly1305', 'encrypt', bytes, 300)).toBe(isLong)
    },
  )

  it('computes the HMACs of long values in threads if they are computed in JavaScript', async () => {
    expect(await usesThreads('aes256-gcm96', 'hmac', 32, 300)).toBe(false)
    expect(await usesThreads('aes256-gcm96', 'hmac', 4_096, 300)).toBe(backend === 'noble')
  })

  it('signs with RSA in threads', async () => {
    expect(await usesThreads('rsa-2048', 'sign', 32, 4)).toBe(true)
  })

  it.each(['ecdsa-p256', 'ecdsa-p384'])('signs with %s in threads only if the platform does not', async (type) => {
    expect(await usesThreads(type, 'sign', 32, 4)).toBe(backend === 'noble')
  })

  it('signs with ed25519 in threads only if the signatures are computed in JavaScript', async () => {
    expect(await usesThreads('ed25519', 'sign', 32, 4)).toBe(backend !== 'node')
  })
})
