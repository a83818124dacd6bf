/** Opens kernels with all engines of this package: for `createKernel`, and for servers whose stores begin with other mounts. */
import type { InitialMount } from './core/kernel/first-records.ts'
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
 * @param mounts The mounts of a new store, in addition to those that every namespace has. Default: one for each engine.
 * @throws TypeError for invalid options; KernelError if the seal cannot unseal the store, or the store cannot be read.
 */
export async function openKernel(options: KernelOptions, mounts?: readonly InitialMount[]): Promise<Kernel> {
  const { composeKernel } = await import('./compose-kernel.ts')
  await loadEngines(FIRST.map((engine) => engine()))
  // All kernels share these engine objects, because route tables are cached by engine.
  const { DEFERRED_ENGINES, ENGINES, FRESH_MOUNTS, SYSTEM } = await import('./conventional.ts')
  const { kernel } = await composeKernel(options, ENGINES, SYSTEM, mounts ?? FRESH_MOUNTS, DEFERRED_ENGINES)
  return kernel
}
