import { systemEntropy } from './core/base/entropy.ts'
import { keySeal } from './core/seal/key-seal.ts'
import { memoryStorage } from './core/storage/memory-storage.ts'
import { createKernel, type SeededKernelOptions } from './create-kernel.ts'
import type { Kernel } from './kernel.ts'

export interface DevKernelOptions extends Partial<SeededKernelOptions> {
  /** The root token of a new store, such as `root`. It replaces the random root token. Default: a random one. */
  readonly rootToken?: string
}

/**
 * Opens a kernel for tests and experiments: in memory, initialized and unsealed, with a `rootToken`. In unit tests, it can replace a Vault
 * server. Accepts all options of `createKernel`, such as a fake clock. Unless `storage` is given, all data is lost when the process ends.
 */
export async function createDevKernel(options: DevKernelOptions = {}): Promise<Kernel> {
  if (typeof options !== 'object' || options === null) return createKernel(options)
  const { rootToken, ...others } = options
  if (rootToken === undefined) return createKernel(withDefaults(others))
  const { useRootToken } = await import('./seed/root-token.ts')
  const kernel = await createKernel(withDefaults(others))
  return useRootToken(kernel, rootToken)
}

const withDefaults = (options: Partial<SeededKernelOptions>): SeededKernelOptions => ({
  storage: memoryStorage(),
  seal: keySeal((options.entropy ?? systemEntropy()).bytes(32)),
  initialize: true,
  ...options,
})
