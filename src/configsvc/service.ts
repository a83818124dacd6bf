/**
 * The configuration service as its users see it.
 */
export type {} from '../core/jwt/refusals.ts'
export type {} from '../core/jwt/token-reviewer.ts'
export type {} from './acl/login/refusals.ts'
export type {} from './methods/refusals.ts'

import type { KernelRequest, KernelResponse } from '../core/contract/request.ts'
import type { AuthMethods } from './acl/auth-methods/api.ts'
import type { BindingRules } from './acl/binding-rules/api.ts'
import type { AclDecisions } from './acl/decisions/api.ts'
import type { AclLogins } from './acl/login/api.ts'
import type { AclPolicies } from './acl/policies/api.ts'
import type { AclRoles } from './acl/roles/api.ts'
import type { TemplatedPolicies } from './acl/templated/api.ts'
import type { AclTokens } from './acl/tokens/api.ts'
import { APP_CALL, type ConfigCall, callBy } from './call.ts'
import type { ConfigCore } from './core.ts'
import type { ConfigEntries } from './entries/operations/api.ts'
import type { ConfigApi } from './operation.ts'
import { FACADES, SERVICE_METHODS } from './operations.ts'
import { typedApi } from './view/typed-api.ts'

type Facades = { readonly [K in keyof typeof FACADES]: ConfigApi<(typeof FACADES)[K]> }

/** The typed methods, on somebody's behalf. */
export class ConfigView implements Facades, AclLogins {
  /** Decisions, and why they are as they are; the first management token. */
  readonly acl: AclDecisions
  /** What tokens may do, as texts of rules. */
  readonly policies: AclPolicies
  /** Who may ask. */
  readonly tokens: AclTokens
  /** Bundles of policies and identities that tokens link to. */
  readonly roles: AclRoles
  /** Rules that wait for a name. */
  readonly templatedPolicies: TemplatedPolicies
  /** Whose tokens are exchanged for tokens of this service. */
  readonly authMethods: AuthMethods
  /** What logins get. */
  readonly bindingRules: BindingRules
  /** The central configuration of a mesh: defaults, routes, gateways, intentions. */
  readonly entries: ConfigEntries
  // What they do stands in the interface, where editors find it.
  readonly login: AclLogins['login']
  readonly logout: AclLogins['logout']

  /** @internal */
  constructor(core: ConfigCore, call: ConfigCall) {
    this.acl = typedApi(FACADES.acl, core, call)
    this.policies = typedApi(FACADES.policies, core, call)
    this.tokens = typedApi(FACADES.tokens, core, call)
    this.roles = typedApi(FACADES.roles, core, call)
    this.templatedPolicies = typedApi(FACADES.templatedPolicies, core, call)
    this.authMethods = typedApi(FACADES.authMethods, core, call)
    this.bindingRules = typedApi(FACADES.bindingRules, core, call)
    this.entries = typedApi(FACADES.entries, core, call)
    const { login, logout } = typedApi(SERVICE_METHODS, core, call)
    this.login = login
    this.logout = logout
  }
}

/** A configuration service on the store of somebody else, such as a kernel. It acts with the application's own authority. */
export class ConfigService extends ConfigView implements AsyncDisposable {
  readonly #core: ConfigCore

  /** @internal */
  constructor(core: ConfigCore) {
    super(core, APP_CALL)
    this.#core = core
  }

  /**
   * The path-addressed API of the spec's third document. Never rejects: a refusal is an answer in plain text. The token comes in the
   * query, in the token header or as a bearer.
   */
  handle(request: KernelRequest): Promise<KernelResponse> {
    return this.#core.pathView.handle(request)
  }

  /** The same methods with a token instead of the application's authority: its policies judge every call. */
  as(token: string): ConfigView {
    if (typeof token !== 'string') throw new TypeError('as: token must be a string')
    return new ConfigView(this.#core, callBy({ kind: 'token', secret: token }))
  }

  /** Ends a service that has a store of its own. `kernel.configsvc` goes on until its kernel is closed. Idempotent. */
  close(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
