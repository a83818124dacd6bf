/** `strongroom/kernel`: a kernel with chosen engines. */

import type { AllParts } from './all-parts.ts'
import type { EngineChoice } from './core/contract/engine.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import type { KernelOf } from './kernel.ts'
import { loadEngines } from './load-engines.ts'

/** Options of a kernel with chosen engines. */
export interface ChosenOptions<E extends readonly EngineChoice[]> extends KernelOptions {
  /**
   * The engines of the kernel: values from `strongroom/engines`, or your own engines (`strongroom/engine`). Every kernel also has tokens,
   * policies, leases, mounts and seals. A new store gets the conventional mounts of the given engines. In an existing store, mounts of
   * other engines are kept and answer 404.
   */
  readonly engines: E
}

/**
 * Opens a kernel with only the given engines. The kernel has the facades of these engines; otherwise it is like a kernel from the
 * `createKernel` that the package `strongroom` itself exports.
 * @example
 * import { transit } from 'strongroom/engines'
 * import { createKernel } from 'strongroom/kernel'
 *
 * const kernel = await createKernel({ engines: [transit()], storage, seal, initialize: true })
 * await kernel.transit.createKey({ name: 'orders' })
 * @throws TypeError for invalid options and engines; KernelError if the seal cannot unseal the store, or the store cannot be read.
 */
export async function createKernel<const E extends readonly EngineChoice[]>({
  engines,
  ...options
}: ChosenOptions<E>): Promise<KernelOf<readonly [...E, ...AllParts]>> {
  const loaded = await loadEngines(checkedEngines(engines))
  const [{ composeKernel }, { engineSetOf, freshMountsOf }, { ALL_PARTS }] = await Promise.all([
    import('./kernel.ts'),
    import('./engine-set.ts'),
    import('./all-parts.ts'),
  ])
  const { engines: all, system } = engineSetOf([...ALL_PARTS, ...loaded])
  const { kernel } = await composeKernel(options, all, system, freshMountsOf(loaded))
  return kernel as unknown as KernelOf<readonly [...E, ...AllParts]>
}

function checkedEngines(engines: readonly EngineChoice[]): readonly EngineChoice[] {
  if (!Array.isArray(engines)) throw new TypeError('createKernel: engines: must be a list of engines')
  for (const [index, engine] of engines.entries())
    if (typeof engine !== 'object' || engine === null || !('load' in engine || 'operations' in engine))
      throw new TypeError(`createKernel: engines[${index}]: must be an engine, such as transit()`)
  return engines
}
