/**
 * `strongroom/sys`: the parts of `sys/` that a kernel can do without, as functions, for `createKernel({ engines, sys })` of
 * `strongroom/kernel`. The code of a part is loaded when a kernel is created with it.
 */

import type { LazyEngine } from './core/contract/engine.ts'
import type { AuditFacades } from './sys/audit/engine.ts'
import type { GenerateRootFacades } from './sys/generate-root/engine.ts'
import type { LeasesFacades } from './sys/leases/engine.ts'
import type { NamespacesFacades } from './sys/namespaces/engine.ts'
import type { PoliciesFacades } from './sys/policies/engine.ts'
import type { RekeyFacades } from './sys/rekey/engine.ts'
import type { WrappingFacades, WrappingTokenFacades } from './sys/wrapping/engine.ts'

export type { Audit, AuditFacades } from './sys/audit/engine.ts'
export type { GenerateOperationToken, GenerateRoot, GenerateRootFacades } from './sys/generate-root/engine.ts'
export type { Leases, LeasesFacades } from './sys/leases/engine.ts'
export type { Namespaces, NamespacesFacades } from './sys/namespaces/engine.ts'
export type { Policies, PoliciesFacades } from './sys/policies/engine.ts'
export type { Rekey, RekeyFacades } from './sys/rekey/engine.ts'
export type { KernelWrapping, Wrapping, WrappingFacades, WrappingTokenFacades } from './sys/wrapping/engine.ts'

/** Policies, capabilities and password policies: `kernel.policies`. Without them, only root tokens are allowed. */
export const policies = (): LazyEngine<PoliciesFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/policies/engine.ts')).policies(),
})

/** Leases of secrets and of tokens: `kernel.leases`. Required by engines that lease secrets. */
export const leases = (): LazyEngine<LeasesFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/leases/engine.ts')).leases(),
})

/** Namespaces: `kernel.namespaces`. */
export const namespaces = (): LazyEngine<NamespacesFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/namespaces/engine.ts')).namespaces(),
})

/** Response wrapping: requests may ask for a wrapped answer, and `kernel.wrapping` wraps and unwraps data. */
export const wrapping = (): LazyEngine<WrappingFacades, WrappingTokenFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/wrapping/engine.ts')).wrapping(),
})

/** The audit log: `kernel.audit`, and the option `ports.audit`. */
export const audit = (): LazyEngine<AuditFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/audit/engine.ts')).audit(),
})

/** Replacing key shares: `kernel.rekey`. */
export const rekey = (): LazyEngine<RekeyFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/rekey/engine.ts')).rekey(),
})

/** Root tokens and operation tokens from key shares: `kernel.generateRoot` and `kernel.generateOperationToken`. */
export const generateRoot = (): LazyEngine<GenerateRootFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/generate-root/engine.ts')).generateRoot(),
})

/** Help at every path (`help=1`), and the OpenAPI document at `sys/internal/specs/openapi`. */
export const help = (): LazyEngine<Record<never, never>> => ({
  type: 'system',
  load: async () => (await import('./sys/help/engine.ts')).help(),
})
