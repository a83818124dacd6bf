/** Views of facades whose code is loaded at the first call. */
import type { DeferredFacade, Facade, FacadeParts, FacadeShape } from '../contract/facade.ts'
import type { ViewBinding } from './binding.ts'
import { callLater, generateLater, type LoadedMembers, type Members } from './deferred-methods.ts'

type ViewClass = new (binding: ViewBinding) => object

/**
 * Returns a class of views that have the methods of `Base` and those of the facade. The first call of a method of the facade copies its
 * arguments, loads the code, and then calls the method of the loaded view. Later calls are forwarded to it directly.
 * @param viewOf Returns the class of the loaded views.
 */
export function deferredView(
  Base: ViewClass,
  { shape, methods, load }: DeferredFacade,
  viewOf: (facade: Facade) => ViewClass,
  partsOf: (binding: ViewBinding) => FacadeParts,
): ViewClass {
  const { groups = {} } = shape
  class View extends Base {
    readonly #loaded: LoadedMembers

    constructor(binding: ViewBinding) {
      super(binding)
      let view: Members | undefined
      const loaded = async (): Promise<Members> => {
        const Loaded = viewOf(await load())
        view ??= new Loaded(binding) as Members
        return view
      }
      this.#loaded = { clock: binding.clock, known: () => view, load: loaded }
      for (const [name, group] of Object.entries(groups))
        addMembers(this, { [name]: group === 'self' ? this : groupOf(name, group, this.#loaded, binding) })
      if (methods) addMembers(this, methods(this, partsOf(binding)))
    }

    static loadedOf(view: View): LoadedMembers {
      return view.#loaded
    }
  }
  addForwarders(View.prototype, shape, (view) => View.loadedOf(view as View))
  return View
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
