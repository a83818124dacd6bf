/** Views of facades whose code is loaded at the first call. */
import type { DeferredFacade, Facade, FacadeParts, FacadeShape } from '../contract/engine.ts'
import type { ViewBinding } from './binding.ts'
import { deferredGenerator, deferredMethod, type LoadedMembers, type Members } from './deferred-methods.ts'

type ViewClass = new (binding: ViewBinding) => object

/**
 * Returns the class of the views of a facade. The first call of a method copies its arguments, loads the code, and then calls the method of
 * the loaded view. Later calls are forwarded to it directly.
 * @param viewOf Returns the class of the loaded views.
 */
export function deferredView(
  { shape, methods, load }: DeferredFacade,
  viewOf: (facade: Facade) => ViewClass,
  partsOf: (binding: ViewBinding) => FacadeParts,
): ViewClass {
  return class {
    constructor(binding: ViewBinding) {
      let view: Members | undefined
      const loaded = async (): Promise<Members> => {
        const View = viewOf(await load())
        view ??= new View(binding) as Members
        return view
      }
      addForwarders(this, shape, { known: () => view, load: loaded }, binding)
      addMembers(this, methods?.(this, partsOf(binding)) ?? {})
    }
  }
}

/** Adds methods that forward to the loaded members. */
function addForwarders(
  target: object,
  { methods, generators = [], groups = {} }: FacadeShape,
  loaded: LoadedMembers,
  binding: ViewBinding,
): void {
  const { clock } = binding
  addMembers(target, { at: (path: string) => binding.at(path) })
  for (const name of methods) addMembers(target, { [name]: deferredMethod(name, loaded, clock) })
  for (const name of generators) addMembers(target, { [name]: deferredGenerator(name, loaded, clock) })
  for (const [name, shape] of Object.entries(groups)) {
    if (shape === 'self') {
      addMembers(target, { [name]: target })
      continue
    }
    const group = {}
    const inGroup = {
      known: () => loaded.known()?.[name] as Members | undefined,
      load: async () => (await loaded.load())[name] as Members,
    }
    addForwarders(group, shape, inGroup, binding)
    addMembers(target, { [name]: group })
  }
}

/** Adds members that are not enumerable, so that an inspected view does not show them. */
export function addMembers(target: object, members: object): void {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(target, name, { value, writable: true, configurable: true })
}
