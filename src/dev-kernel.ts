/** A kernel for tests and experiments. */
import { systemEntropy } from './core/base/entropy.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import { keySeal } from './core/seal/key-seal.ts'
import { memoryStorage } from './core/storage/memory.ts'
import { createKernel } from './create-kernel.ts'
import type { Kernel } from './kernel.ts'

/**
 * A kernel in memory, initialised and unsealed, with a `rootToken`: a stand-in for a server in unit tests. Any option may be
 * given, such as a fake clock. Nothing survives the process unless `storage` is given.
 */
export function createDevKernel(options: Partial<KernelOptions> = {}): Promise<Kernel> {
  const entropy = options.entropy ?? systemEntropy()
  return createKernel({ storage: memoryStorage(), seal: keySeal(entropy.bytes(32)), initialize: true, ...options })
}
