/**
 * What a configuration service was made with.
 */
import type { TokenSalt } from '../core/access/token/token-id.ts'
import type { Allowance } from '../core/base/allowance.ts'
import { KernelService } from '../core/contract/kernel-service.ts'
import type { PublishedKeySets } from './methods/published-keys.ts'
import type { DefaultPolicy } from './rules/index.ts'

export interface AclOptions {
  /** Whether tokens and rules decide; default true. With false every call is allowed, with or without a token. */
  readonly enabled?: boolean
  /** What holds where no rule speaks; default `deny`. */
  readonly defaultPolicy?: DefaultPolicy
  /** The SecretID, a UUID, of a management token that is there from the beginning. Without it `bootstrap` makes the first one. */
  readonly bootstrapToken?: string
}

export interface ConfigNaming {
  /** The prefix of the service's own headers: `<prefix>-Token`, `<prefix>-Index`. Default `X-Config`; `X-Consul` is the original's. */
  readonly headerPrefix: string
}

export interface ConfigSettings {
  readonly enabled: boolean
  readonly defaultPolicy: DefaultPolicy
  readonly bootstrapToken: string | undefined
  readonly headerPrefix: string
  readonly datacenter: string
  /** Keyed hashes of SecretIDs: the ids that tokens are stored under. */
  readonly salt: TokenSalt
  readonly keySets: PublishedKeySets
  /** What strangers may have done for them. */
  readonly unauthenticatedAllowance: Allowance
}

/** The settings of the service that an operation runs in. */
export const CONFIG_SETTINGS = /* @__PURE__ */ new KernelService<ConfigSettings>()
