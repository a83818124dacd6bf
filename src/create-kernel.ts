/** `createKernel` of the root entry: a kernel with all engines of this package. */
import { ENGINES, FRESH_MOUNTS, SYSTEM } from './conventional.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import { composeKernel, type Kernel } from './kernel.ts'

/**
 * Opens a kernel on a storage. With `initialize: true` a fresh storage is initialised and the kernel has a `rootToken`; without
 * it, the kernel waits for `kernel.seal.initialize` or `sys/init`. An existing store is unsealed by an automatic seal, or else by
 * shares.
 * @throws TypeError for wrong options; KernelError when the seal does not open the store or the store cannot be read.
 */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  const { kernel } = await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)
  return kernel
}
