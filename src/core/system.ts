/**
 * What operations of the kernel itself may ask beside their records. Room: core. Imported by the system's operations and core/auth; an
 * engine has no business with it.
 */
import type { Audit } from './audit/audit.ts'
import type { Authority } from './auth/authority.ts'
import type { TokenSalt } from './auth/token/token-id.ts'
import type { LeaseRunner } from './lease/runner.ts'
import type { Topology } from './mount/topology.ts'
import type { Call } from './request/call.ts'
import type { KernelState } from './request/gate.ts'
import type { ShareAttempts } from './seal/attempt/index.ts'
import type { Sealing } from './sealing.ts'
import type { Environment } from './transaction/tx.ts'

export interface ClusterIdentity {
  readonly id: string
  readonly name: string
}

export interface System {
  readonly topology: Topology
  readonly authority: Authority
  readonly salt: TokenSalt
  readonly leases: LeaseRunner
  readonly audit: Audit
  /** The state of this process. */
  readonly state: () => KernelState
  readonly sealing: Sealing
  /** What shares authorise. */
  readonly attempts: ShareAttempts
  /** Undefined while sealed. */
  readonly cluster: () => ClusterIdentity | undefined
  readonly storage: { readonly durable: boolean; readonly shared: boolean }
}

const systems = new WeakMap<Environment, System>()

/** Called once per kernel, when it is put together. */
export const installSystem = (env: Environment, system: System): void => {
  systems.set(env, system)
}

/** Whether who asks has shown no token and is not the application either. */
export const isStranger = ({ call }: { readonly call: Call }): boolean => call.caller.kind === 'anonymous'

export function systemOf({ env }: { readonly env: Environment }): System {
  const system = systems.get(env)
  if (!system) throw new TypeError('this environment belongs to no kernel')
  return system
}
