/**
 * The kernel of this example: LMDB below, the root key as its seal.
 */
import { createKernel, keySeal } from 'strongroom'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { DATABASE } from './places.mjs'

/**
 * Runs `work` with an open kernel and closes it whatever happens. The storage is ours, so closing it is up to us.
 * `initialize`: whether a fresh store becomes a new one. Only the program that sets things up should say so; elsewhere an empty store
 * means that something is wrong.
 */
export async function withKernel({ key, initialize }, work) {
  const storage = lmdbStorage({ path: DATABASE })
  try {
    const kernel = await createKernel({ storage, seal: keySeal(key), initialize })
    // The seal has its own copy.
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
