/**
 * A component that every kernel has one of, found by the kernel's environment, so that operations reach it although the room that makes
 * it stands behind the one that declares the environment.
 */
import type { Environment } from './tx.ts'

export class KernelService<T> {
  readonly #byKernel = new WeakMap<Environment, T>()

  /** Called once per kernel, when it is assembled. */
  install(env: Environment, part: T): void {
    this.#byKernel.set(env, part)
  }

  /** Undefined in a kernel without it. */
  find({ env }: { readonly env: Environment }): T | undefined {
    return this.#byKernel.get(env)
  }

  of({ env }: { readonly env: Environment }): T {
    const part = this.#byKernel.get(env)
    if (part === undefined) throw new TypeError('this environment belongs to no kernel')
    return part
  }
}
