/**
 * An object that exists once per kernel and is found by the kernel's environment. Operations can use it although its class is declared in a
 * room that the room of the environment may not import.
 */
import type { Environment } from './tx.ts'

export class KernelService<T> {
  readonly #byKernel = new WeakMap<Environment, T>()

  /** Called once per kernel, when it is assembled. */
  install(env: Environment, part: T): void {
    this.#byKernel.set(env, part)
  }

  /** Undefined in a kernel that lacks it. */
  find({ env }: { readonly env: Environment }): T | undefined {
    return this.#byKernel.get(env)
  }

  of({ env }: { readonly env: Environment }): T {
    const part = this.#byKernel.get(env)
    if (part === undefined) throw new TypeError('this environment belongs to no kernel')
    return part
  }
}
