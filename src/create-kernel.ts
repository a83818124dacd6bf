/** `createKernel` of the root entry. */
import type { KernelOptions } from './core/kernel/options.ts'
import * as engines from './engines.ts'
import type { Kernel } from './kernel.ts'

/**
 * Opens a kernel with all engines of this package. With `initialize: true`, a new store is initialized, and the kernel has a `rootToken`.
 * Without this option, a new store waits for `kernel.seal.initialize` or `sys/init`. An existing store is unsealed by its automatic seal,
 * or waits for key shares.
 * @throws TypeError for invalid options; KernelError if the seal cannot unseal the store, or the store cannot be read.
 */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  // One after the other, so that loading blocks the event loop only briefly each time.
  const { composeKernel } = await import('./kernel.ts')
  for (const engine of Object.values(engines)) await engine().load()
  const { ENGINES, FRESH_MOUNTS, SYSTEM } = await import('./conventional.ts')
  const { kernel } = await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)
  return kernel
}
