/**
 * The kernel of the root entry: with all engines of this package.
 */
import { ENGINES, FRESH_MOUNTS, SYSTEM } from './conventional.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import { composeKernel, type Kernel } from './kernel.ts'

/**
 * Opens a kernel on a storage. A fresh one is written with `initialize: true`, and the kernel has a `rootToken`; without, it waits for
 * `kernel.seal.initialize` or `sys/init`. An existing one is unsealed by an automatic seal; by shares otherwise.
 * @throws TypeError for wrong options; KernelError when the seal does not open the store or the store cannot be read.
 */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  const { kernel } = await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)
  return kernel
}
