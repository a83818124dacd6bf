/**
 * Objects that exist once per kernel and can be looked up by the kernel's environment. Operations can use such an object even if their room
 * must not import the room of its class.
 */
import type { Environment } from './environment.ts'

export class KernelService<T> {
  readonly #byKernel = new WeakMap<Environment, T>()

  /** Called once per kernel, when it is assembled. */
  install(env: Environment, service: T): void {
    this.#byKernel.set(env, service)
  }

  /** Returns the service of the kernel with this environment; undefined if the kernel does not have the service. */
  find({ env }: { readonly env: Environment }): T | undefined {
    return this.#byKernel.get(env)
  }

  of({ env }: { readonly env: Environment }): T {
    const service = this.#byKernel.get(env)
    if (service === undefined) throw new TypeError('the kernel of this environment does not have the service')
    return service
  }
}
