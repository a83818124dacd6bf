import type { KernelEvent } from '../../core/contract/event.ts'
import { internalsOf } from '../../core/kernel/kernel-internals.ts'
import type { KernelStatus } from '../../core/kernel/status.ts'

/** The members of a kernel that telemetry reads. Every kernel of this package has them. */
export interface ObservedKernel {
  readonly events: {
    on(type: '*', listener: (event: KernelEvent) => unknown, options: { readonly lost: (lost: number) => void }): () => void
  }
  status(): Promise<KernelStatus>
}

/** The id that the requests of the kernel have in traces. @throws TypeError if `kernel` is not a kernel. */
export const kernelIdOf = (kernel: object): string => internalsOf(kernel).claims.owner
