/** `strongroom/kernel`: a kernel of chosen engines only. */

import type { EngineValue } from './core/contract/engine.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import { engineSetOf, freshMountsOf } from './engine-set.ts'
import { composeKernel, type KernelOf } from './kernel.ts'

/** The chosen engines, beside those that every kernel has. */
export interface ChosenOptions<E extends readonly EngineValue[]> extends KernelOptions {
  /**
   * What the kernel can do beside tokens, policies, leases, mounts and seals, which it always has: values of
   * `strongroom/engines`, or your own engines (`strongroom/engine`). A fresh store begins with the conventional mounts of these
   * engines. In an existing store the mounts of other engines stay as they are and answer 404.
   */
  readonly engines: E
}

/**
 * Opens a kernel with the given engines and no others; its facades are those of the engines. Else as `createKernel` of the root.
 * @example
 * import { transit } from 'strongroom/engines'
 * import { createKernel } from 'strongroom/kernel'
 *
 * const kernel = await createKernel({ engines: [transit()], storage, seal, initialize: true })
 * await kernel.transit.createKey({ name: 'orders' })
 * @throws TypeError for wrong options; KernelError when the seal does not open the store or the store cannot be read.
 */
export async function createKernel<const E extends readonly EngineValue[]>({
  engines,
  ...options
}: ChosenOptions<E>): Promise<KernelOf<E>> {
  const house = engineSetOf(engines)
  const { kernel } = await composeKernel(options, house.engines, house.system, freshMountsOf(engines))
  return kernel as unknown as KernelOf<E>
}
