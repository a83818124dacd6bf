/**
 * The typed facades: a namespace, and on whose behalf. Room: composition root. Imported by kernel.ts and re-exported.
 */
import type { Insides } from './core/assemble.ts'
import type { Api } from './core/operation/api.ts'
import type { Operations } from './core/operation/operation.ts'
import { appAccess, type Bearer, tokenAccess } from './core/request/typed-access.ts'
import { type Binding, typedView } from './core/request/typed-view.ts'
import { cubbyhole } from './engines/cubbyhole/index.ts'
import { kv, kv2, kv2Operations } from './engines/kv/index.ts'
import { orchestrator } from './engines/orchestrator/index.ts'
import { transit } from './engines/transit/index.ts'
import { identity } from './sys/identity.ts'
import {
  auditOperations,
  barrierRekey,
  capabilityOperations,
  generateOperationToken,
  generateRoot,
  leaseOperations,
  mountOperations,
  namespaceOperations,
  passwordOperations,
  policyOperations,
  recoveryRekey,
  system,
  wrappingOperations,
} from './sys/index.ts'
import { token, tokenOperations } from './sys/token/index.ts'
import { type Transit, TransitView } from './transit-view.ts'

/** An engine's methods at its conventional mount, and at others. */
export type Mounted<O extends Operations> = Api<O> & {
  /** The same methods for an engine of that type mounted elsewhere, such as `payments/`. */
  at(path: string): Mounted<O>
}

/** The key/value engine, version 1. */
export type Kv = Mounted<typeof kv.operations>
/** The key/value engine, version 2. */
export type Kv2 = Mounted<typeof kv2Operations>
/** Tokens and token roles. What is called after the caller itself (`lookupSelf`, ...) is for views made by `as(token)`. */
export type Tokens = Api<typeof tokenOperations>
/** Policies, and what they come to; policies of passwords, and passwords. */
export type Policies = Api<typeof policyOperations> & Api<typeof passwordOperations> & Api<typeof capabilityOperations>
/** Secrets engines and auth methods at their paths. */
export type Mounts = Api<typeof mountOperations>
export type Namespaces = Api<typeof namespaceOperations>
/** Answers and objects that are opened once. */
export type Wrapping = Api<typeof wrappingOperations>
/** Leases of secrets and of tokens. */
export type Leases = Api<typeof leaseOperations>
/** New shares of the key that opens the store, authorised by the present ones; `recovery`: of the recovery key. */
export type Rekey = Api<typeof barrierRekey> & { readonly recovery: Api<typeof recoveryRekey> }
/** Root tokens, authorised by shares. */
export type GenerateRoot = Api<typeof generateRoot>
/** Tokens for disaster recovery, authorised by shares. */
export type GenerateOperationToken = Api<typeof generateOperationToken>
/** Where requests are recorded, and how. */
export type Audit = Api<typeof auditOperations>
/** Logins of an orchestrator's service accounts. */
export type Orchestrator = Mounted<typeof orchestrator.operations>
/** Who stands behind tokens. */
export type Identity = Api<typeof identity.operations>
/** What a token keeps for itself. */
export type Cubbyhole = Api<typeof cubbyhole.operations>

interface Scope {
  /** With a slash at its end; empty for the root. */
  readonly namespace: string
  readonly bearer: Bearer | undefined
}

const KvView = /* @__PURE__ */ typedView(kv.operations)
const Kv2View = /* @__PURE__ */ typedView(kv2Operations)
const OrchestratorView = /* @__PURE__ */ typedView(orchestrator.operations)
const IdentityView = /* @__PURE__ */ typedView(identity.operations)
const CubbyholeView = /* @__PURE__ */ typedView(cubbyhole.operations)
const TokensView = /* @__PURE__ */ typedView(tokenOperations)
const PoliciesView = /* @__PURE__ */ typedView({ ...policyOperations, ...passwordOperations, ...capabilityOperations })
const MountsView = /* @__PURE__ */ typedView(mountOperations)
const NamespacesView = /* @__PURE__ */ typedView(namespaceOperations)
const WrappingView = /* @__PURE__ */ typedView(wrappingOperations)
const AuditView = /* @__PURE__ */ typedView(auditOperations)
const LeasesView = /* @__PURE__ */ typedView(leaseOperations)
const RekeyView = /* @__PURE__ */ typedView(barrierRekey)
const RecoveryRekeyView = /* @__PURE__ */ typedView(recoveryRekey)
const GenerateRootView = /* @__PURE__ */ typedView(generateRoot)
const GenerateOperationTokenView = /* @__PURE__ */ typedView(generateOperationToken)

/**
 * The kernel as seen from a namespace, by the application or by a token. Costs one object: facades are made when they are asked for.
 */
export class KernelView {
  readonly #insides: Insides
  readonly #scope: Scope
  #transit: Transit | undefined
  #kv: Kv | undefined
  #kv2: Kv2 | undefined
  #orchestrator: Orchestrator | undefined
  #identity: Identity | undefined
  #tokens: Tokens | undefined
  #policies: Policies | undefined
  #mounts: Mounts | undefined
  #namespaces: Namespaces | undefined
  #wrapping: Wrapping | undefined
  #leases: Leases | undefined
  #rekey: Rekey | undefined
  #generateRoot: GenerateRoot | undefined
  #generateOperationToken: GenerateOperationToken | undefined
  #audit: Audit | undefined

  /** @internal */
  constructor(insides: Insides, scope: Scope) {
    this.#insides = insides
    this.#scope = scope
  }

  /** The encryption engine at `transit/`. */
  get transit(): Transit {
    this.#transit ??= this.view<Transit>(TransitView, transit.type, 'transit/')
    return this.#transit
  }

  /** The key/value engine at `secret/`, while that is of version 1. */
  get kv(): Kv {
    this.#kv ??= this.view(KvView, kv.type, 'secret/') as Kv
    return this.#kv
  }

  /** The key/value engine of version 2: at `secret/` where that was upgraded, and anywhere by `at`. */
  get kv2(): Kv2 {
    this.#kv2 ??= this.view(Kv2View, kv2.type, 'secret/') as Kv2
    return this.#kv2
  }

  /** The orchestrator auth method at `auth/orchestrator/`. */
  get orchestrator(): Orchestrator {
    this.#orchestrator ??= this.view(OrchestratorView, orchestrator.type, 'auth/orchestrator/') as Orchestrator
    return this.#orchestrator
  }

  /** Who stands behind tokens, whatever way they logged in. */
  get identity(): Identity {
    this.#identity ??= this.view(IdentityView, identity.type, 'identity/')
    return this.#identity
  }

  get tokens(): Tokens {
    this.#tokens ??= this.view(TokensView, token.type, 'auth/token/')
    return this.#tokens
  }

  get policies(): Policies {
    this.#policies ??= this.view(PoliciesView, system.type, 'sys/')
    return this.#policies
  }

  get mounts(): Mounts {
    this.#mounts ??= this.view(MountsView, system.type, 'sys/')
    return this.#mounts
  }

  get namespaces(): Namespaces {
    this.#namespaces ??= this.view(NamespacesView, system.type, 'sys/')
    return this.#namespaces
  }

  get wrapping(): Wrapping {
    this.#wrapping ??= this.view(WrappingView, system.type, 'sys/')
    return this.#wrapping
  }

  get leases(): Leases {
    this.#leases ??= this.view(LeasesView, system.type, 'sys/')
    return this.#leases
  }

  /** New shares for people: `init`, then `update` with enough of the present ones, then, where wanted, `verify`. */
  get rekey(): Rekey {
    this.#rekey ??= Object.assign(this.view(RekeyView, system.type, 'sys/'), {
      recovery: this.view(RecoveryRekeyView, system.type, 'sys/'),
    })
    return this.#rekey
  }

  /** A root token for people who have enough shares: `init`, then `update` with each. */
  get generateRoot(): GenerateRoot {
    this.#generateRoot ??= this.view(GenerateRootView, system.type, 'sys/')
    return this.#generateRoot
  }

  /** The same for a token that is good for operations of disaster recovery only. */
  get generateOperationToken(): GenerateOperationToken {
    this.#generateOperationToken ??= this.view(GenerateOperationTokenView, system.type, 'sys/')
    return this.#generateOperationToken
  }

  get audit(): Audit {
    this.#audit ??= this.view(AuditView, system.type, 'sys/')
    return this.#audit
  }

  /** The same in the namespace `path`, which is relative to this one: `team-a/`. That it is there is looked at by each call. */
  namespace(path: string): KernelView {
    return new KernelView(this.#insides, { ...this.#scope, namespace: this.#scope.namespace + withSlash('namespace', path) })
  }

  /**
   * The same with a token instead of the application's authority: every call is judged by its policies and counts as a use of it, as the
   * request to `handle()` would. `remote_address` is what bound CIDRs are checked against.
   */
  as(token: string, options: { readonly remote_address?: string } = {}): TokenView {
    if (typeof token !== 'string' || token === '') throw new TypeError('as: token must be a string that is not empty')
    return new TokenView(this.#insides, { ...this.#scope, bearer: { token, remoteAddress: options.remote_address } })
  }

  /** @internal */
  protected view<V>(View: new (binding: Binding) => V, type: string, path: string): V {
    const { gate, host, topology, admission, audit, tracer } = this.#insides
    const { namespace, bearer } = this.#scope
    const parts = { topology, admission, audit, entropy: host.env.entropy, namespace, path, type }
    const access = bearer ? tokenAccess(parts, bearer) : appAccess(parts)
    return new View({ gate, clock: host.clock, access, tracer, at: (other) => this.view(View, type, withSlash('at', other)) })
  }
}

/** What a token may do. */
export class TokenView extends KernelView {
  #cubbyhole: Cubbyhole | undefined

  /** What this token keeps for itself; it goes with the token. */
  get cubbyhole(): Cubbyhole {
    this.#cubbyhole ??= this.view(CubbyholeView, cubbyhole.type, 'cubbyhole/')
    return this.#cubbyhole
  }
}

function withSlash(method: string, path: string): string {
  if (typeof path !== 'string' || path === '') throw new TypeError(`${method}: path must be a string such as "payments/"`)
  return path.endsWith('/') ? path : `${path}/`
}
