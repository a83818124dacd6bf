/** Facades: how an engine appears on a kernel. */
import type { Api } from './api.ts'
import type { Operations } from './operation.ts'
import type { SyncCallHandle, SyncCallPlan } from './sync-call.ts'

/** Functions that the additional methods of a facade can use. */
export interface FacadeParts {
  /** Returns methods for other operations at the same mount. */
  readonly view: <O extends Operations>(operations: O) => Api<O>
  /** Resolves in a later turn of the event loop. Call it regularly during long work, so that other work can run. */
  readonly pause: () => Promise<void>
  /** The time in milliseconds. */
  readonly now: () => number
  /** Renews and revokes leases as trusted calls. */
  readonly leases: {
    readonly renewLease: (args: { readonly lease_id: string }) => Promise<{ readonly lease_duration: number }>
    readonly revokeLease: (args: { readonly lease_id: string }) => Promise<unknown>
  }
  /** Runs `work` at each tick until the returned function is called. Errors are reported as `work.failed`. */
  readonly onTick: (work: () => Promise<unknown>) => () => void
  /** Resolves with a handle for synchronous calls. */
  readonly openSyncCalls: (plan: SyncCallPlan) => Promise<SyncCallHandle>
}

/** The names of the members of a facade. */
export interface FacadeShape {
  /** The methods that return promises. */
  readonly methods: readonly string[]
  /** The methods that return async generators. */
  readonly generators?: readonly string[]
  /** The facades that are members of this facade. `self` is this facade itself. */
  readonly groups?: Readonly<Record<string, Omit<FacadeShape, 'groups'> | 'self'>>
}

/** How an engine appears on a kernel: as the methods of its operations at a conventional mount, under a name such as `kernel.transit`. */
export interface Facade {
  /** The path of the conventional mount. `at(path)` returns the methods for another mount. */
  readonly path: string
  /** The type of mounts that the facade serves. Default: the engine's type. */
  readonly type?: string
  readonly operations: Operations
  /** Returns additional methods that call the methods of the operations, for example to process a list of any length. */
  // biome-ignore lint/suspicious/noExplicitAny: the view's type differs for each facade.
  readonly methods?: (view: any, parts: FacadeParts) => object
  /** Further methods of the facade, whose code may not be loaded yet. */
  readonly later?: readonly DeferredFacade[]
}

/** A facade of an engine whose code may not be loaded yet. The first call of a method loads the code. */
export interface DeferredFacade {
  readonly path: string
  /** The type of mounts that the facade serves. Default: the engine's type. */
  readonly type?: string
  readonly shape: FacadeShape
  /** Returns additional methods that do not need the code of the engine. */
  // biome-ignore lint/suspicious/noExplicitAny: the view's type differs for each facade.
  readonly methods?: (view: any, parts: FacadeParts) => object
  /** Returns the facade when the code is loaded. */
  readonly load: () => Promise<Facade>
}

/** The method that the kernel adds to every facade `V`. An engine need not declare it. */
export interface OtherMounts<V> {
  /** Returns the same methods for another mount of an engine of this type, such as `payments/`. */
  at(path: string): V & OtherMounts<V>
}

/**
 * The type of a facade: the methods of an engine's operations, and `at`. Use it for the parameters of functions to which a facade is passed.
 */
export type Mounted<O extends Operations> = Api<O> & OtherMounts<Api<O>>
