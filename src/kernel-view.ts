/** The typed facades of a namespace, for trusted calls or for a token. */

import { readOptions } from './core/base/options.ts'
import { SLICE_BYTES } from './core/base/steps.ts'
import { deferredFacade } from './core/contract/deferred.ts'
import type { Engine } from './core/contract/engine.ts'
import type { KernelInternals } from './core/kernel/assemble.ts'
import type { ViewBinding } from './core/request/binding.ts'
import { SyncCallContext } from './core/request/sync-call-context.ts'
import { appAccess, type Bearer, tokenAccess } from './core/request/typed-access.ts'
import { type Shown, shownBy, viewClassOf } from './facades.ts'
import { MOUNTS_FACADE } from './sys/administration/manifest.ts'
import type { Identity } from './sys/identity/generated/api.ts'
import { IDENTITY_FACADE, IDENTITY_MANIFEST } from './sys/identity/manifest.ts'
import { system } from './sys/index.ts'
import type { Mounts } from './sys/mounts/generated/api.ts'
import type { Tokens } from './sys/token/generated/api.ts'
import type { KernelTokens } from './sys/token/kernel-tokens.ts'
import { TOKEN_MANIFEST, TOKENS_FACADE } from './sys/token/manifest.ts'

export type { Identity, KernelTokens, Mounts, Tokens }

/** Options of a view for a token. */
export interface AsOptions {
  /** The caller's address, which is compared with bound CIDRs. */
  readonly remoteAddress?: string
  /**
   * The `id` of the requests of this view in the audit log, so that all calls for one request of your application can be found. Default: a
   * random id for each call.
   */
  readonly requestId?: string
}

export interface Scope {
  /** The namespace's path with a slash at the end; empty for the root namespace. */
  readonly namespace: string
  readonly bearer: Bearer | undefined
}

const IdentityView = /* @__PURE__ */ viewClassOf<Identity>(
  deferredFacade(IDENTITY_FACADE, async () => (await import('./sys/identity/engine.ts')).identity.operations),
)
const TokensView = /* @__PURE__ */ viewClassOf<Tokens>(
  deferredFacade(TOKENS_FACADE, async () => (await import('./sys/token/engine.ts')).tokenOperations),
)
const MountsView = /* @__PURE__ */ viewClassOf<Mounts>(
  deferredFacade(MOUNTS_FACADE, async () => (await import('./sys/administration/engine.ts')).mountOperations),
)

/** The view classes of one kernel. */
export interface ViewKinds {
  readonly View: new (internals: KernelInternals, scope: Scope, kinds: ViewKinds) => KernelView<object, object>
  readonly TokenView: new (internals: KernelInternals, scope: Scope, kinds: ViewKinds) => KernelView<object, object>
}

/**
 * A view of a kernel: restricted to a namespace and, if it was made by `as(token)`, to a token. Creating a view costs one object; each
 * facade is created at its first access. `F` are the facades of the engines, `T` the additional facades of views with a token.
 */
export class KernelView<F extends object, T extends object> {
  readonly #internals: KernelInternals
  readonly #scope: Scope
  readonly #kinds: ViewKinds
  readonly #facades = new Map<string, unknown>()
  #identity: Identity | undefined
  #tokens: Tokens | undefined
  #mounts: Mounts | undefined

  /** @internal */
  constructor(internals: KernelInternals, scope: Scope, kinds: ViewKinds) {
    this.#internals = internals
    this.#scope = scope
    this.#kinds = kinds
  }

  /** Entities and groups: the people and programs that own tokens, independent of how they log in. */
  get identity(): Identity {
    this.#identity ??= this.view(IdentityView, IDENTITY_MANIFEST.type, 'identity/')
    return this.#identity
  }

  /** Tokens and token roles. */
  get tokens(): KernelTokens {
    this.#tokens ??= this.view(TokensView, TOKEN_MANIFEST.type, 'auth/token/')
    return this.#tokens
  }

  /** The mounts of secrets engines and auth methods. */
  get mounts(): Mounts {
    this.#mounts ??= this.view(MountsView, system.type, 'sys/')
    return this.#mounts
  }

  /**
   * Returns a view like this one for the namespace `path`, relative to this view's namespace: `team-a/`. Each call checks that the
   * namespace exists.
   */
  namespace(path: string): KernelView<F, T> & F {
    const scope = { ...this.#scope, namespace: this.#scope.namespace + withSlash('namespace', path) }
    const { View, TokenView } = this.#kinds
    return new (scope.bearer ? TokenView : View)(this.#internals, scope, this.#kinds) as KernelView<F, T> & F
  }

  /**
   * Returns a view like this one for a token. The token's policies decide about every call, and every call counts as a use of the token, as
   * the equivalent call by path would. `remoteAddress` is compared with bound CIDRs.
   */
  as(token: string, options: AsOptions = {}): TokenView<F, T> {
    if (typeof token !== 'string' || token === '') throw new TypeError('as: token must be a non-empty string')
    const { remoteAddress, requestId } = readOptions('as', options, { remoteAddress: 1, requestId: 1 })
    const scope = { ...this.#scope, bearer: { token, remoteAddress, requestId } }
    return new this.#kinds.TokenView(this.#internals, scope, this.#kinds) as TokenView<F, T>
  }

  /** @internal Defines getters on a class of views. A getter creates its facade at the first access and keeps it. */
  static show(prototype: object, facades: ReadonlyMap<string, Shown>): void {
    for (const [name, facade] of facades) {
      const View = viewClassOf(facade)
      const get = function (this: KernelView<object, object>): unknown {
        const known = this.#facades.get(name)
        if (known) return known
        const made = this.view(View, facade.type, facade.path)
        this.#facades.set(name, made)
        return made
      }
      Object.defineProperty(prototype, name, { get, configurable: true })
    }
  }

  /** @internal */
  protected view<V>(View: new (binding: ViewBinding) => V, type: string, path: string): V {
    const { gate, host, topology, admission, audit, tracer, claims } = this.#internals
    const { namespace, bearer } = this.#scope
    const parts = { topology, admission, audit, entropy: host.env.entropy, namespace, path, type }
    const access = bearer ? tokenAccess(parts, bearer) : appAccess(parts)
    return new View({
      gate,
      clock: host.clock,
      access,
      // With worker threads, the event loop may have to do the work after the call has returned, so copy all bytes.
      copyAbove: host.env.workers ? 0 : SLICE_BYTES,
      tracer,
      traced: { kernel: claims.owner, engine: type },
      at: (other) => this.view(View, type, withSlash('at', other)),
      leases: () => leaseCallsOf(this),
      onTick: (work) => {
        this.#internals.tickTasks.add(work)
        return () => void this.#internals.tickTasks.delete(work)
      },
      syncCallContext: () => new SyncCallContext({ ...parts, freshness: host.freshness }, bearer),
      onChange: (listener) => host.cache.onChange(listener),
      closing: host.env.closing,
    })
  }
}

/** A view with a token: the token's policies decide about every call. */
export type TokenView<F extends object, T extends object> = OwnView<F, T> & KernelView<F, T> & F & T

/** The members that have another type on views with a token. */
interface OwnView<F extends object, T extends object> {
  readonly tokens: Tokens
  namespace(path: string): TokenView<F, T>
}

type ViewClass = new (...parts: never[]) => object
type LeaseCalls = ReturnType<ViewBinding['leases']>

/** Creates subclasses of `Kernel` and of the views, with a getter for each facade of the engines. */
export function withFacades<K extends ViewClass>(
  Kernel: K,
  engines: readonly Engine[],
): { readonly Kernel: K; readonly kinds: ViewKinds } {
  const taken = (name: string): boolean => name in Kernel.prototype
  const facades = shownBy(engines, 'facades', taken)
  const forTokens = shownBy(engines, 'tokenFacades', (name) => taken(name) || facades.has(name))
  const ofAll = class extends (Kernel as unknown as new (...parts: unknown[]) => object) {} as unknown as K
  const View = class extends KernelView<object, object> {}
  const OfTokens = class extends KernelView<object, object> {}
  for (const { prototype } of [ofAll, View, OfTokens]) KernelView.show(prototype, facades)
  KernelView.show(OfTokens.prototype, forTokens)
  return { Kernel: ofAll, kinds: { View, TokenView: OfTokens } }
}

/** @throws TypeError if the kernel has no leases. Only engines without leases can be chosen for such a kernel. */
function leaseCallsOf(view: object): LeaseCalls {
  if (!('leases' in view))
    throw new TypeError('the kernel has no leases: it needs the part leases() in the option sys of createKernel')
  return view.leases as LeaseCalls
}

function withSlash(method: string, path: string): string {
  if (typeof path !== 'string' || path === '') throw new TypeError(`${method}: path must be a string such as "payments/"`)
  return path.endsWith('/') ? path : `${path}/`
}
