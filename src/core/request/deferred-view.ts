/** Views of facades whose code is loaded at the first call. */
import type { Clock } from '../base/clock.ts'
import type { DeferredFacade, Facade, FacadeParts, FacadeShape } from '../contract/engine.ts'
import { ownArgument } from '../exchange/own-arguments.ts'
import type { ViewBinding } from './binding.ts'

type ViewClass = new (binding: ViewBinding) => object
type Method = (...args: unknown[]) => unknown
type Members = Readonly<Record<string, unknown>>

/** The object whose members a view, or a group of a view, forwards to. */
interface LoadedMembers {
  /** Undefined before the code is loaded. */
  readonly known: () => Members | undefined
  /** Loads the code. */
  readonly load: () => Promise<Members>
}

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
  { known, load }: LoadedMembers,
  binding: ViewBinding,
): void {
  const { clock } = binding
  addMembers(target, { at: (path: string) => binding.at(path) })
  for (const name of methods) {
    const find = (members: Members): Method => members[name] as Method
    const method: Method = (...args) => {
      const members = known()
      if (members) return find(members).apply(members, args)
      const own = ownArguments(args, clock)
      return load().then(async (late) => find(late).apply(late, await own))
    }
    addMembers(target, { [name]: method })
  }
  for (const name of generators) {
    const method: Method = (...args) => {
      const members = known()
      return members ? (members[name] as Method)(...args) : generateLater(load, name, ownArguments(args, clock))
    }
    addMembers(target, { [name]: method })
  }
  for (const [name, shape] of Object.entries(groups)) {
    if (shape === 'self') {
      addMembers(target, { [name]: target })
      continue
    }
    const group = {}
    const inGroup = { known: () => known()?.[name] as Members | undefined, load: async () => (await load())[name] as Members }
    addForwarders(group, shape, inGroup, binding)
    addMembers(target, { [name]: group })
  }
}

const ownArguments = (args: readonly unknown[], clock: Clock): Promise<unknown[]> =>
  Promise.all(args.map((argument) => ownArgument(argument, clock)))

async function* generateLater(
  load: () => Promise<Members>,
  name: string,
  args: Promise<unknown[]>,
): AsyncGenerator<unknown, unknown, undefined> {
  const members = await load()
  return yield* (members[name] as Method)(...(await args)) as AsyncGenerator<unknown, unknown, undefined>
}

/** Adds members that are not enumerable, so that an inspected view does not show them. */
export function addMembers(target: object, members: object): void {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(target, name, { value, writable: true, configurable: true })
}
