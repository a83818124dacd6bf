import type { KernelInternals } from './assemble.ts'

const internals = new WeakMap<object, KernelInternals>()

/** Makes the internals of a kernel available to functions of this package that receive the kernel from the application. */
export const rememberInternals = (kernel: object, own: KernelInternals): void => {
  internals.set(kernel, own)
}

/** @throws TypeError if `kernel` is not a kernel. */
export function internalsOf(kernel: object): KernelInternals {
  const own = internals.get(kernel)
  if (!own) throw new TypeError('kernel: must be a kernel that createKernel returned')
  return own
}
