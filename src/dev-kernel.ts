import { systemEntropy } from './core/base/entropy.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import { keySeal } from './core/seal/key-seal.ts'
import { memoryStorage } from './core/storage/memory-storage.ts'
import { createKernel } from './create-kernel.ts'
import type { Kernel } from './kernel.ts'

/**
 * Opens a kernel for tests and experiments: in memory, initialized and unsealed, with a `rootToken`. In unit tests, it can replace a Vault
 * server. Accepts all options of `createKernel`, such as a fake clock. Unless `storage` is given, all data is lost when the process ends.
 */
export function createDevKernel(options: Partial<KernelOptions> = {}): Promise<Kernel> {
  const entropy = options.entropy ?? systemEntropy()
  return createKernel({ storage: memoryStorage(), seal: keySeal(entropy.bytes(32)), initialize: true, ...options })
}
