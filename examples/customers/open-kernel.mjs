/**
 * The kernel of this example, with LMDB storage and the root key as its seal.
 */
import { createKernel, keySeal } from 'strongroom'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { DATABASE } from './places.mjs'

/**
 * Runs `work` with an open kernel, and closes the kernel afterwards, also after an error. The kernel does not close its storage, so this
 * function does.
 * `initialize`: whether an empty storage is initialized as a new store. Only the program that creates the store should set it. For any other
 * program, an empty storage is an error.
 */
export async function withKernel({ key, initialize }, work) {
  const storage = lmdbStorage({ path: DATABASE })
  try {
    const kernel = await createKernel({ storage, seal: keySeal(key), initialize })
    // The seal has a copy of the key.
    key.fill(0)
    try {
      return await work(kernel)
    } finally {
      await kernel.close()
    }
  } finally {
    await storage.close()
  }
}
