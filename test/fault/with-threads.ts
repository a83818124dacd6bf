/** Kernels with worker threads, and round trips of batches. */
import { afterEach, expect } from 'vitest'
import type { WorkersPort } from '../../src/core/contract/workers-port.ts'
import { createDevKernel, type Kernel, type KernelOptions } from '../../src/index.ts'
import { bytesOf } from '../property/support.ts'

const open: Kernel[] = []

/** Registers a hook that closes the kernels after each test. */
export const closeKernelsAfterEach = (): void =>
  afterEach(async () => {
    for (const kernel of open.splice(0)) await kernel.close()
  })

export async function kernelWith(workers: WorkersPort, options: Partial<KernelOptions> = {}): Promise<Kernel> {
  const kernel = await createDevKernel({ ...options, workers })
  open.push(kernel)
  return kernel
}

export const batchOf = (count: number) => Array.from({ length: count }, (_, index) => ({ plaintext: bytesOf(300, index) }))

/** Encrypts and decrypts, and compares item by item. */
export async function roundTrip({ transit }: Kernel, count: number): Promise<void> {
  const batch_input = batchOf(count)
  const { batch_results: sealed } = await transit.encryptBatch({ name: 'k', batch_input })
  const ciphertexts = sealed.map((item) => ({ ciphertext: item.error ? item.error.message : item.ciphertext }))
  const { batch_results } = await transit.decryptBatch({ name: 'k', batch_input: ciphertexts })
  expect(batch_results).toHaveLength(count)
  const wrong = batch_results.find(
    (item, index) => item.error || Buffer.compare(item.plaintext, batch_input[index]!.plaintext) !== 0,
  )
  expect(wrong).toBeUndefined()
}

/** A program that answers `at - 1` orders with an empty result, and then fails. */
export const failing = (fault: string, at: number): URL =>
  new URL(`data:text/javascript,import { parentPort as port } from 'node:worker_threads'
    let n = 0
    port.on('message', ({ id }) => { if (++n < ${at}) port.postMessage({ id }); else { ${fault} } })`)
