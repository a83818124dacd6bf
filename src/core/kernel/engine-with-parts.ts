/** An engine some of whose operations are loaded when they are first needed. */

import type { Engine } from '../contract/engine.ts'
import type { DeferredFacade, Facade } from '../contract/facade.ts'
import type { Operations } from '../contract/operation.ts'
import type { DeferredEngine } from './deferred-engine.ts'

type DeferredMembers = Pick<Engine, 'operations' | 'due' | 'effects'>

interface Merge {
  /** The operations of the loaded parts. Kernels with different options can have different operations of a part. */
  readonly from: readonly Operations[]
  readonly members: DeferredMembers
}

/**
 * The last merge, by the operations of the base engine and by the names of the loaded parts. Kernels share merged operations, because route
 * tables are cached by operations.
 */
const merges = new WeakMap<Operations, Map<string, Merge>>()

function membersOf(base: Engine, parts: readonly DeferredEngine[]): DeferredMembers {
  const ofBase = merges.get(base.operations) ?? new Map<string, Merge>()
  merges.set(base.operations, ofBase)
  const names = parts.map(({ part }) => part).join()
  const from = parts.map(({ operations }) => operations)
  const known = ofBase.get(names)
  if (known && from.every((operations, index) => operations === known.from[index])) return known.members
  const members = {
    operations: mergedOperations([base.operations, ...from]),
    due: Object.assign({}, ...[base, ...parts].map(({ due }) => due)),
    effects: [base, ...parts].flatMap(({ effects = [] }) => effects),
  }
  ofBase.set(names, { from, members })
  return members
}

/**
 * Returns the engine of one kernel that consists of `base` and of parts. Its operations, due work and effects are those of `base` and of
 * the parts whose code is loaded. Its other members are those of `base` and of all parts.
 */
export function engineWithParts(base: Engine, parts: readonly DeferredEngine[]): Engine {
  if (parts.length === 0) return base
  let known = { loaded: 0, members: base as DeferredMembers }
  const current = (): DeferredMembers => {
    const loaded = parts.filter(({ isLoaded }) => isLoaded)
    if (loaded.length !== known.loaded) known = { loaded: loaded.length, members: membersOf(base, loaded) }
    return known.members
  }
  const loadOf = (needed: readonly DeferredEngine[]): Promise<void> | undefined => {
    const loading = needed.flatMap((part) => part.load() ?? [])
    return loading.length === 0 ? undefined : Promise.all(loading).then(() => {})
  }
  return {
    ...base,
    facades: facadesOf(base, parts),
    ports: Object.assign({}, base.ports, ...parts.map(({ ports }) => ports)),
    events: [base, ...parts].flatMap(({ events = [] }) => events),
    options: [base, ...parts].flatMap(({ options = [] }) => options),
    get operations() {
      return current().operations
    },
    get due() {
      return current().due
    },
    get effects() {
      return current().effects ?? []
    },
    load: (path) => {
      const first = path?.split('/', 1)[0] ?? ''
      return loadOf(path === undefined ? parts : parts.filter(({ segments }) => segments.includes(first)))
    },
  }
}

/** A part can add methods to a facade of `base`. */
function facadesOf({ facades = {} }: Engine, parts: readonly DeferredEngine[]): NonNullable<Engine['facades']> {
  const all: Record<string, Facade | DeferredFacade> = { ...facades }
  for (const [name, added] of parts.flatMap((part) => Object.entries(part.facades ?? {}))) {
    const known = all[name] as Facade | undefined
    all[name] = known ? { ...known, later: [...(known.later ?? []), added as DeferredFacade] } : added
  }
  return all
}

/** @throws TypeError if two of the merged engines define an operation of the same name. */
export function mergedOperations(parts: readonly Operations[]): Operations {
  const operations = new Map<string, Operations[string]>()
  for (const [name, operation] of parts.flatMap(Object.entries)) {
    if (operations.has(name)) throw new TypeError(`the engine has two operations with the name ${name}`)
    operations.set(name, operation)
  }
  return Object.fromEntries(operations)
}
