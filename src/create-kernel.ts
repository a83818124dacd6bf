/** Implements the `createKernel` that the root entry `strongroom` exports. */
import type { KernelOptions } from './core/kernel/options.ts'
import * as engines from './engines.ts'
import type { Kernel } from './kernel.ts'
import { loadEngines } from './load-engines.ts'
import * as parts from './sys-parts.ts'

/** The engines, and parts of `sys/`, that are loaded when a kernel is created. All others are loaded when they are first needed. */
const FIRST = [
  parts.policies,
  parts.leases,
  parts.namespaces,
  parts.wrapping,
  parts.audit,
  engines.transit,
  engines.kv,
  engines.cubbyhole,
  engines.configsvc,
]

/**
 * Opens a kernel with all engines of this package. With `initialize: true`, a new store is initialized, and the kernel has a `rootToken`.
 * Without this option, a new store waits for `kernel.seal.initialize` or `sys/init`. An existing store is unsealed by its automatic seal,
 * or waits for key shares.
 * @throws TypeError for invalid options; KernelError if the seal cannot unseal the store, or the store cannot be read.
 */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  const { composeKernel } = await import('./compose-kernel.ts')
  await loadEngines(FIRST.map((engine) => engine()))
  // All kernels share these engine objects, because route tables are cached by engine.
  const { DEFERRED_ENGINES, ENGINES, FRESH_MOUNTS, SYSTEM } = await import('./conventional.ts')
  const { kernel } = await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS, DEFERRED_ENGINES)
  return kernel
}
