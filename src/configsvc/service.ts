export type {} from '../core/jwt/refusals.ts'
export type {} from '../core/jwt/token-reviewer.ts'
export type {} from './acl/login/refusals.ts'
export type {} from './methods/refusals.ts'

import type { KernelRequest, KernelResponse } from '../core/contract/request.ts'
import type { AuthMethods } from './acl/auth-methods/generated/api.ts'
import type { BindingRules } from './acl/binding-rules/generated/api.ts'
import type { AclDecisions } from './acl/decisions/generated/api.ts'
import type { AclLogins } from './acl/login/generated/api.ts'
import type { AclPolicies } from './acl/policies/generated/api.ts'
import type { AclRoles } from './acl/roles/generated/api.ts'
import type { TemplatedPolicies } from './acl/templated/generated/api.ts'
import type { AclTokens } from './acl/tokens/generated/api.ts'
import { APP_CALL, type ConfigCall, callBy } from './call.ts'
import type { ConfigEntries } from './entries/operations/generated/api.ts'

/** The typed methods and the path view of a service. */
export interface ConfigServiceParts {
  /** @param call The caller on whose behalf the methods run. */
  readonly facades: (call: ConfigCall) => ConfigView
  readonly handle: (request: KernelRequest) => Promise<KernelResponse>
}

/** The typed methods of the service, for one caller. */
export class ConfigView implements AclLogins {
  /** The first management token, and permission checks. */
  readonly acl: AclDecisions
  /** Policies, which consist of rules in text form. */
  readonly policies: AclPolicies
  /** Tokens, which authenticate callers. */
  readonly tokens: AclTokens
  /** Sets of policies and identities that tokens link to. */
  readonly roles: AclRoles
  /** Built-in policies with a placeholder for a name. */
  readonly templatedPolicies: TemplatedPolicies
  /** Auth methods, which verify tokens of other systems at logins. */
  readonly authMethods: AuthMethods
  /** Binding rules, which decide what logins are granted. */
  readonly bindingRules: BindingRules
  /** The central configuration of a service mesh: defaults, routes, gateways, intentions. */
  readonly entries: ConfigEntries
  // The documentation is in the interface, where editors show it.
  readonly login: AclLogins['login']
  readonly logout: AclLogins['logout']

  /** @internal */
  constructor(methods: ConfigView) {
    this.acl = methods.acl
    this.policies = methods.policies
    this.tokens = methods.tokens
    this.roles = methods.roles
    this.templatedPolicies = methods.templatedPolicies
    this.authMethods = methods.authMethods
    this.bindingRules = methods.bindingRules
    this.entries = methods.entries
    this.login = methods.login
    this.logout = methods.logout
  }
}

/**
 * A configuration service on a store that it does not own, such as the store of a kernel. Its methods have the full authority of the
 * application.
 */
export class ConfigService extends ConfigView implements AsyncDisposable {
  readonly #parts: ConfigServiceParts

  /** @internal */
  constructor(parts: ConfigServiceParts) {
    super(parts.facades(APP_CALL))
    this.#parts = parts
  }

  /**
   * Handles a request in the form of Consul's HTTP API, with paths below `/v1`. Never rejects: errors become responses in plain text. The
   * token is read from the query, the token header or the bearer header.
   */
  handle(request: KernelRequest): Promise<KernelResponse> {
    return this.#parts.handle(request)
  }

  /** Returns the same methods for a token, whose policies restrict every call. */
  as(token: string): ConfigView {
    if (typeof token !== 'string') throw new TypeError('as: token must be a string')
    return new ConfigView(this.#parts.facades(callBy({ kind: 'token', secret: token })))
  }

  /** Closes a service that has a store of its own. `kernel.configsvc` stays open until its kernel is closed. Idempotent. */
  close(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
