/** `strongroom/kernel`: a kernel with chosen engines. */

import type { AllParts } from './all-parts.ts'
import type { DeferredEngineValue, Engine, EngineChoice } from './core/contract/engine.ts'
import type { KernelOptions } from './core/kernel/options.ts'
import type { KernelOf } from './kernel.ts'
import { loadEngines } from './load-engines.ts'

export type { KernelOf } from './kernel.ts'
export type { AsOptions, TokenView as TokenViewOf } from './kernel-view.ts'

/** Options of a kernel with chosen engines. */
export interface ChosenOptions<E extends readonly EngineChoice[], P extends readonly EngineChoice[] = AllParts>
  extends KernelOptions {
  /**
   * The engines of the kernel: values from `strongroom/engines`, or your own engines (`strongroom/engine`). Every kernel also has tokens,
   * mounts and seals. A new store gets the conventional mounts of the given engines. In an existing store, mounts of other engines are
   * kept and answer 404.
   */
  readonly engines: E
  /**
   * The parts of `sys/` of the kernel: values from `strongroom/sys`, such as `policies()`. Default: all of them. The paths of other parts
   * answer 404, and a request that needs a missing part is refused. A store can be opened with other parts later.
   */
  readonly sys?: P
}

/**
 * Opens a kernel with only the given engines and parts of `sys/`. The kernel has the facades of these engines and parts; otherwise it is
 * like a kernel from the `createKernel` that the package `strongroom` itself exports.
 * @example
 * import { transit } from 'strongroom/engines'
 * import { createKernel } from 'strongroom/kernel'
 *
 * const kernel = await createKernel({ engines: [transit()], storage, seal, initialize: true })
 * await kernel.transit.createKey({ name: 'orders' })
 * @throws TypeError for invalid options, engines and parts, and if the store or an option needs a part that is missing; KernelError if the
 * seal cannot unseal the store, or the store cannot be read.
 */
export async function createKernel<const E extends readonly EngineChoice[], const P extends readonly EngineChoice[] = AllParts>({
  engines,
  sys,
  ...options
}: ChosenOptions<E, P>): Promise<KernelOf<readonly [...E, ...P]>> {
  checkChoices('engines', engines)
  if (sys !== undefined) checkParts(sys)
  const loaded = await loadEngines(engines)
  const { loadedParts, deferredParts } = await partsOf(sys)
  const [{ composeKernel }, { DEFERRED_BY_ALL, engineSetOf, freshMountsOf }] = await Promise.all([
    import('./compose-kernel.ts'),
    import('./engine-set.ts'),
  ])
  const { engines: all, system } = engineSetOf([...loadedParts, ...loaded], deferredParts)
  const { kernel } = await composeKernel(options, all, system, freshMountsOf(loaded), [...deferredParts, ...DEFERRED_BY_ALL])
  return kernel as unknown as KernelOf<readonly [...E, ...P]>
}

/** The chosen parts are loaded now. If all parts are wanted, the less frequent ones are loaded when they are first needed. */
async function partsOf(chosen: readonly EngineChoice[] | undefined): Promise<{
  readonly loadedParts: readonly Engine[]
  readonly deferredParts: readonly DeferredEngineValue[]
}> {
  if (chosen !== undefined) return { loadedParts: await loadEngines(chosen), deferredParts: [] }
  const { LOADED_PARTS, DEFERRED_PARTS } = await import('./all-parts.ts')
  return { loadedParts: LOADED_PARTS, deferredParts: DEFERRED_PARTS }
}

function checkParts(parts: readonly EngineChoice[]): void {
  checkChoices('sys', parts)
  for (const [index, { type }] of parts.entries())
    if (type !== 'system') throw new TypeError(`createKernel: sys[${index}]: must be a part of sys/, such as policies()`)
}

function checkChoices(option: 'engines' | 'sys', choices: readonly EngineChoice[]): void {
  const [what, example] = option === 'engines' ? ['engine', 'transit()'] : ['part', 'policies()']
  if (!Array.isArray(choices)) throw new TypeError(`createKernel: ${option}: must be a list of ${what}s`)
  for (const [index, choice] of choices.entries())
    if (typeof choice !== 'object' || choice === null || !('load' in choice || 'operations' in choice))
      throw new TypeError(
        `createKernel: ${option}[${index}]: must be ${option === 'engines' ? 'an' : 'a'} ${what}, such as ${example}`,
      )
}
