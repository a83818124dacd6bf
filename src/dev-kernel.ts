import { systemEntropy } from './core/base/entropy.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import { keySeal } from './core/seal/key-seal.ts'
import { memoryStorage } from './core/storage/memory-storage.ts'
import { createKernel } from './create-kernel.ts'
import type { Kernel } from './kernel.ts'

/**
 * A kernel for tests and experiments: in memory, initialized and unsealed, with a `rootToken`. It can stand in for a server in unit tests.
 * Accepts all options, such as a fake clock. Unless `storage` is given, nothing survives the process.
 */
export function createDevKernel(options: Partial<KernelOptions> = {}): Promise<Kernel> {
  const entropy = options.entropy ?? systemEntropy()
  return createKernel({ storage: memoryStorage(), seal: keySeal(entropy.bytes(32)), initialize: true, ...options })
}
