/**
 * `strongroom/kernel`: a kernel of chosen engines, and of nothing else.
 */
import { freshMountsOf, houseOf } from './always.ts'
import type { EngineValue } from './core/contract/engine.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import { composeKernel, type KernelOf } from './kernel.ts'

/** Engines, beside what every kernel is made from. */
export interface ChosenOptions<E extends readonly EngineValue[]> extends KernelOptions {
  /**
   * What the kernel can do beside tokens, policies, leases, mounts and seals, which it always has: values of `strongroom/engines`, or
   * engines of your own (`strongroom/engine`). A fresh store begins with their conventional mounts; what an existing one has mounted of others stays
   * as it is and answers 404.
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
  const house = houseOf(engines)
  const { kernel } = await composeKernel(options, house.engines, house.system, freshMountsOf(engines))
  return kernel as unknown as KernelOf<E>
}
