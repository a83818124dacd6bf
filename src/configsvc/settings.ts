import type { TokenSalt } from '../core/access/token/token-id.ts'
import type { Allowance } from '../core/base/allowance.ts'
import { KernelService } from '../core/contract/kernel-service.ts'
import type { PublishedKeySets } from './methods/published-keys.ts'
import type { DefaultPolicy } from './rules/index.ts'

export interface AclOptions {
  /** Whether tokens and policies decide about access; default true. If false, every call is allowed, with or without a token. */
  readonly enabled?: boolean
  /** Whether calls are allowed if no rule matches; default `deny`. */
  readonly defaultPolicy?: DefaultPolicy
  /**
   * The SecretID, a UUID, of a management token that is created when the store is first opened. Without it, `bootstrap` creates the first
   * token.
   */
  readonly bootstrapToken?: string
}

export interface ConfigNaming {
  /** The prefix of the service's headers: `<prefix>-Token`, `<prefix>-Index`. Default: `X-Config`; Consul uses `X-Consul`. */
  readonly headerPrefix: string
}

export interface ConfigSettings {
  readonly enabled: boolean
  readonly defaultPolicy: DefaultPolicy
  readonly bootstrapToken: string | undefined
  readonly headerPrefix: string
  readonly datacenter: string
  /** Computes the keyed hash under which a token is stored, from its SecretID. */
  readonly salt: TokenSalt
  readonly keySets: PublishedKeySets
  /** Limits the work for unauthenticated callers. */
  readonly unauthenticatedAllowance: Allowance
}

/** The settings of the service in which an operation runs. */
export const CONFIG_SETTINGS = /* @__PURE__ */ new KernelService<ConfigSettings>()
