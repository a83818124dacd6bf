/** Implements the `createKernel` that the root entry `strongroom` exports. */
import type { KernelOptions } from './core/kernel/options.ts'
import * as engines from './engines.ts'
import type { Kernel } from './kernel.ts'
import { loadEngines } from './load-engines.ts'
import * as parts from './sys-parts.ts'

/**
 * Opens a kernel with all engines of this package. With `initialize: true`, a new store is initialized, and the kernel has a `rootToken`.
 * Without this option, a new store waits for `kernel.seal.initialize` or `sys/init`. An existing store is unsealed by its automatic seal,
 * or waits for key shares.
 * @throws TypeError for invalid options; KernelError if the seal cannot unseal the store, or the store cannot be read.
 */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  const { composeKernel } = await import('./kernel.ts')
  await loadEngines([...Object.values(parts), ...Object.values(engines)].map((engine) => engine()))
  // All kernels share these engine objects, because route tables are cached by engine.
  const { ENGINES, FRESH_MOUNTS, SYSTEM } = await import('./conventional.ts')
  const { kernel } = await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)
  return kernel
}
