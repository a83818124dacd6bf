import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { Wrapping } from './api.ts'
import { wrappingOperations, wrappingPathOperations } from './index.ts'
import type { KernelWrapping } from './kernel-wrapping.ts'

export type { KernelWrapping, Wrapping }

/** The facades of kernels with response wrapping. */
export interface WrappingFacades {
  /** Response wrapping: storing responses and objects so that they can be fetched once. */
  readonly wrapping: KernelWrapping
}

/** The type of `wrapping` on views with a token, where the argument `token` is optional. */
export interface WrappingTokenFacades {
  /** Response wrapping: storing responses and objects so that they can be fetched once. */
  readonly wrapping: Wrapping
}

const PART = engineValue<WrappingFacades, WrappingTokenFacades>({
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: { ...wrappingOperations, ...wrappingPathOperations },
  due: {},
  // Views with a token have the same facade, with another type.
  facades: { wrapping: { path: 'sys/', operations: wrappingOperations } },
})

/** Response wrapping: `sys/wrapping`, and the facade `kernel.wrapping`. */
export const wrapping = (): EngineValue<WrappingFacades, WrappingTokenFacades> => PART
