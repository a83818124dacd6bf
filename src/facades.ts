import type { Engine, EngineChoice } from './core/contract/engine.ts'
import type { DeferredFacade, Facade, FacadeParts, OtherMounts } from './core/contract/facade.ts'
import type { Operations } from './core/contract/operation.ts'
import type { ViewBinding } from './core/request/binding.ts'
import { addMembers, deferredView } from './core/request/deferred-view.ts'
import { typedView } from './core/request/typed-view.ts'

type Intersection<U> = (U extends unknown ? (part: U) => void : never) extends (all: infer A extends object) => void ? A : never

/**
 * The type of a facade on a kernel: always with the method `at`, which returns the facade of another mount. The engines of this package
 * declare `at` in their facades; for other engines, this type adds it.
 */
type OnKernel<V> = V extends { at(path: string): unknown } ? V : V & OtherMounts<V>

/** The facades that these engines add to a kernel. */
export type FacadesOf<E extends readonly EngineChoice[]> = Intersection<
  {
    [I in keyof E]: E[I] extends EngineChoice<infer F, infer _, infer _S> ? { readonly [K in keyof F]: OnKernel<F[K]> } : never
  }[number]
>
/** The facades that these engines add to views made by `as(token)`. */
export type TokenFacadesOf<E extends readonly EngineChoice[]> = Intersection<
  { [I in keyof E]: E[I] extends EngineChoice<infer _, infer T, infer _S> ? { readonly [K in keyof T]: T[K] } : never }[number]
>

/** The services that these engines add to a kernel. */
export type ServicesOf<E extends readonly EngineChoice[]> = Intersection<
  { [I in keyof E]: E[I] extends EngineChoice<infer _, infer _T, infer S> ? { readonly [K in keyof S]: S[K] } : never }[number]
>

/** A facade, and the type of the mounts that it calls. */
export type Shown = (Facade | DeferredFacade) & { readonly type: string }

/** @throws TypeError if two engines use the same name, or if an engine uses the name of a facade or method that every kernel has. */
export function shownBy(
  engines: readonly Engine[],
  which: 'facades' | 'tokenFacades',
  taken: (name: string) => boolean,
): ReadonlyMap<string, Shown> {
  const shown = new Map<string, Shown>()
  for (const engine of engines)
    for (const [name, facade] of Object.entries(engine[which] ?? {})) {
      if (taken(name) || shown.has(name))
        throw new TypeError(`createKernel: engines: the name ${name} is already used on the kernel`)
      shown.set(name, { type: engine.type, ...facade })
    }
  return shown
}

type ViewClass<V = object> = new (binding: ViewBinding) => V
const classes = new WeakMap<Operations, ViewClass>()

const NO_OPERATIONS: Operations = {}

/** The class of a facade's views. */
export function viewClassOf<V = object>(facade: Facade | DeferredFacade): ViewClass<V> {
  const { later, ...first } = 'load' in facade ? { later: [facade], path: facade.path, operations: NO_OPERATIONS } : facade
  const add = (Base: ViewClass, part: DeferredFacade): ViewClass => deferredView(Base, part, loadedView, partsOf)
  const View = later ? later.reduce(add, loadedView(first)) : loadedView(first)
  return View as ViewClass<V>
}

function loadedView({ operations, methods }: Facade): ViewClass {
  const View = typedView(operations) as ViewClass
  if (!methods) return View
  const known = classes.get(operations)
  if (known) return known
  class Extended extends View {
    constructor(binding: ViewBinding) {
      super(binding)
      addMembers(this, methods?.(this, partsOf(binding)) ?? {})
    }
  }
  classes.set(operations, Extended)
  return Extended
}

const partsOf = (binding: ViewBinding): FacadeParts => {
  const { clock, leases, onTick } = binding
  return {
    view: (others) => new (typedView(others))(binding),
    pause: () => clock.sleep(0),
    now: () => clock.now(),
    get leases() {
      return leases()
    },
    onTick,
    openSyncCalls: async (plan) => new (await import('./core/request/sync-calls.ts')).SyncCalls(binding, plan),
  }
}
