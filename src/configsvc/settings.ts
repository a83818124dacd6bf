import type { TokenSalt } from '../core/access/token/token-id.ts'
import type { Allowance } from '../core/base/allowance.ts'
import { KernelService } from '../core/contract/kernel-service.ts'
import type { PublishedKeySets } from './methods/published-keys.ts'
import type { DefaultPolicy } from './rules/index.ts'

export interface AclOptions {
  /** Whether tokens and policies decide; default true. If false, every call is allowed, with or without a token. */
  readonly enabled?: boolean
  /** Whether calls that no rule matches are allowed; default `deny`. */
  readonly defaultPolicy?: DefaultPolicy
  /** The SecretID, a UUID, of a management token that exists from the start. Without it, `bootstrap` creates the first one. */
  readonly bootstrapToken?: string
}

export interface ConfigNaming {
  /** The prefix of the service's headers: `<prefix>-Token`, `<prefix>-Index`. Default `X-Config`; Consul has `X-Consul`. */
  readonly headerPrefix: string
}

export interface ConfigSettings {
  readonly enabled: boolean
  readonly defaultPolicy: DefaultPolicy
  readonly bootstrapToken: string | undefined
  readonly headerPrefix: string
  readonly datacenter: string
  /** Computes the keyed hashes of SecretIDs under which tokens are stored. */
  readonly salt: TokenSalt
  readonly keySets: PublishedKeySets
  /** Bounds the work for callers that are not authenticated. */
  readonly unauthenticatedAllowance: Allowance
}

/** The settings of the service that an operation runs in. */
export const CONFIG_SETTINGS = /* @__PURE__ */ new KernelService<ConfigSettings>()
