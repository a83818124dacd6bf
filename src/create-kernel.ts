/** Implements the `createKernel` that the root entry `strongroom` exports. */
import type { KernelOptions } from './core/kernel/options.ts'
import type { Kernel } from './kernel.ts'
import type { Logger } from './log.ts'
import { openKernel } from './open-kernel.ts'
import type { Seed } from './seed/seed.ts'

/** The options of `createKernel`: those of every kernel, a seed and a logger. */
export interface SeededKernelOptions extends KernelOptions {
  /**
   * Mounts, policies, keys and secrets that are created if they are missing, each time the kernel is created. Existing ones are not changed.
   * Needs an automatic seal. If a part of the seed cannot be created, `createKernel` rejects.
   */
  readonly seed?: Seed
  /**
   * Receives the state of the kernel and the events that operators need, as `logTo` of `strongroom/log` describes: pino, `console`, or any
   * object with the methods `info`, `warn` and `error`. Default: nothing is logged.
   */
  readonly logger?: Logger
}

/**
 * Opens a kernel with all engines of this package. With `initialize: true`, a new store is initialized, and the kernel has a `rootToken`.
 * Without this option, a new store waits for `kernel.seal.initialize` or `sys/init`. An existing store is unsealed by its automatic seal,
 * or waits for key shares.
 * @throws TypeError for invalid options; KernelError if the seal cannot unseal the store, or the store cannot be read.
 */
export async function createKernel(options: SeededKernelOptions): Promise<Kernel> {
  if (typeof options !== 'object' || options === null) return openKernel(options)
  const { seed, logger, ...others } = options
  const log = logger === undefined ? undefined : await import('./log.ts')
  log?.validateLogger(logger as Logger)
  const kernel = await (seed === undefined ? openKernel(others) : openSeeded(others, seed))
  log?.logTo(kernel, logger as Logger)
  return kernel
}

async function openSeeded(options: KernelOptions, seed: Seed): Promise<Kernel> {
  const { applySeed, readSeed } = await import('./seed/apply-seed.ts')
  const read = readSeed('createKernel', seed)
  const kernel = await openKernel(options)
  try {
    await applySeed(kernel, read)
    return kernel
  } catch (error) {
    await kernel.close()
    throw error
  }
}
