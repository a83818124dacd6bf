/** Views of facades whose code is loaded at the first call. */
import type { DeferredFacade, Facade, FacadeParts, FacadeShape } from '../contract/facade.ts'
import type { ViewBinding } from './binding.ts'
import { callLater, generateLater, type LoadedMembers, type Members } from './deferred-methods.ts'

type ViewClass = new (binding: ViewBinding) => object

/**
 * Returns a class of views that have the methods of `Base` and those of the facade. The first call of a method of the facade copies its
 * arguments, loads the code, and then calls the method of the loaded view. From then on, the class has the methods of operations itself, and
 * forwards calls of other methods.
 * @param Base A class of typed views.
 * @param viewOf Returns the class of the loaded views.
 */
export function deferredView(
  Base: ViewClass,
  { shape, methods, load }: DeferredFacade,
  viewOf: (facade: Facade) => ViewClass,
  partsOf: (binding: ViewBinding) => FacadeParts,
): ViewClass {
  const groups = Object.entries(shape.groups ?? {})

  function loadedBy(binding: ViewBinding): LoadedMembers {
    let view: Members | undefined
    const loaded = async (): Promise<Members> => {
      const Loaded = viewOf(await load())
      if (view) return view
      view = new Loaded(binding) as Members
      adoptMethods(View.prototype, view, shape)
      return view
    }
    return { clock: binding.clock, known: () => view, load: loaded }
  }

  class View extends Base {
    readonly #binding: ViewBinding
    #loaded: LoadedMembers | undefined

    constructor(binding: ViewBinding) {
      super(binding)
      this.#binding = binding
      for (const [name, group] of groups)
        addMembers(this, { [name]: group === 'self' ? this : groupOf(name, group, View.loadedOf(this), binding) })
      if (methods) addMembers(this, methods(this, partsOf(binding)))
    }

    static loadedOf(view: View): LoadedMembers {
      view.#loaded ??= loadedBy(view.#binding)
      return view.#loaded
    }
  }
  addForwarders(View.prototype, shape, (view) => View.loadedOf(view as View))
  return View
}

/**
 * Replaces forwarding methods by the methods of operations, which work on all typed views. Additional methods of a facade are properties of
 * each view, so calls of these are still forwarded.
 */
function adoptMethods(target: object, loaded: Members, { methods }: FacadeShape): void {
  for (const name of methods) if (!Object.hasOwn(loaded, name)) addMembers(target, { [name]: loaded[name] })
}

/** Adds methods that forward to the loaded members. */
function addForwarders(
  target: object,
  { methods, generators = [] }: FacadeShape,
  loadedOf: (target: object) => LoadedMembers,
): void {
  for (const name of methods)
    addMembers(target, {
      [name](this: object, ...args: unknown[]): unknown {
        try {
          return callLater(loadedOf(this), name, args)
        } catch (error) {
          return Promise.reject(error)
        }
      },
    })
  for (const name of generators)
    addMembers(target, {
      [name](this: object, ...args: unknown[]): unknown {
        return generateLater(loadedOf(this), name, args)
      },
    })
}

/** Returns the object with the methods of a group, such as `kernel.replication.dr`. */
function groupOf(name: string, shape: FacadeShape, { clock, known, load }: LoadedMembers, binding: ViewBinding): object {
  const group = {}
  addMembers(group, { at: (path: string) => binding.at(path) })
  const loaded = {
    clock,
    known: () => known()?.[name] as Members | undefined,
    load: async () => (await load())[name] as Members,
  }
  addForwarders(group, shape, () => loaded)
  return group
}

/** Adds members that are not enumerable, so that an inspected view does not show them. */
export function addMembers(target: object, members: object): void {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(target, name, { value, writable: true, configurable: true })
}
