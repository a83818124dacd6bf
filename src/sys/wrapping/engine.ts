import {
  isJwt,
  openJwt,
  WRAPPING_SIGNATURE_ALLOWANCE,
  WRONG_SIGNATURES_PER_SECOND,
} from '../../core/access/wrapping/wrapping-jwt.ts'
import { Allowance } from '../../core/base/allowance.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { Wrapper } from '../../core/request/wrapper.ts'
import type { Wrapping } from './generated/api.ts'
import type { KernelWrapping } from './kernel-wrapping.ts'
import { lookupSelfWrapping, lookupWrapping } from './lookup.ts'
import { readPublicKey } from './public-key.ts'
import { rewrap } from './rewrap.ts'
import { unwrap } from './unwrap.ts'
import { wrap } from './wrap.ts'

export const wrappingOperations = { wrap, unwrap, rewrap, lookupWrapping, readPublicKey }

/** Operations that can be called only by path. */
const wrappingPathOperations = { lookupSelfWrapping }

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
  part: 'wrapping',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: { ...wrappingOperations, ...wrappingPathOperations },
  due: {},
  attach: ({ host, topology, authority, responseWrapping }: KernelInternals) => {
    responseWrapping.install(new Wrapper(host, topology))
    authority.wrappingTokenIn = (tx, text) => (isJwt(text) ? openJwt(tx, text) : text)
    WRAPPING_SIGNATURE_ALLOWANCE.install(host.env, new Allowance(host.clock, WRONG_SIGNATURES_PER_SECOND))
  },
  // `tokenFacades` is absent: views with a token use the same facade, and only its type differs.
  facades: { wrapping: { path: 'sys/', operations: wrappingOperations } },
})

/** Response wrapping: `sys/wrapping`, and the facade `kernel.wrapping`. */
export const wrapping = (): EngineValue<WrappingFacades, WrappingTokenFacades> => PART
