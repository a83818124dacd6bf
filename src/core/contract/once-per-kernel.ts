import type { Environment } from './environment.ts'

/** Returns a function that returns an object of a kernel, which is made at the first call. */
export function oncePerKernel<T>(make: (env: Environment) => T): (env: Environment) => T {
  const made = new WeakMap<Environment, T>()
  return (env) => {
    const known = made.get(env)
    if (known !== undefined) return known
    const object = make(env)
    made.set(env, object)
    return object
  }
}
