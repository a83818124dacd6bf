/** The engine that serves `sys/`: the operations that every kernel has, merged with the parts that the kernel was created with. */

import type { Engine } from './core/contract/engine.ts'
import type { Operations } from './core/contract/operation.ts'
import type { DeferredEngine } from './core/kernel/deferred-engine.ts'
import { system } from './sys/index.ts'

/** The parts of `sys/` that the last kernel was created with, and the engine that resulted from merging them with the system engine. */
let last: { readonly parts: readonly Engine[]; readonly whole: Engine } | undefined

/**
 * Returns the engine that serves `sys/`. Equal parts get the same object, because it is the key under which route tables are cached, and
 * most kernels of a process have equal parts.
 */
export function systemWith(parts: readonly Engine[]): Engine {
  if (parts.length === 0) return system
  if (last?.parts.length === parts.length && parts.every((part, index) => part === last?.parts[index])) return last.whole
  const whole: Engine = {
    ...system,
    operations: merged([system, ...parts].map(({ operations }) => operations)),
    due: Object.assign({}, ...parts.map(({ due }) => due)),
    effects: parts.flatMap(({ effects = [] }) => effects),
    facades: Object.assign({}, ...parts.map(({ facades }) => facades)),
    tokenFacades: Object.assign({}, ...parts.map(({ tokenFacades }) => tokenFacades)),
    ports: Object.assign({}, ...parts.map(({ ports }) => ports)),
    portChecks: Object.assign({}, ...parts.map(({ portChecks }) => portChecks)),
    options: parts.flatMap(({ options = [] }) => options),
    events: parts.flatMap(({ events = [] }) => events),
    services: Object.assign({}, ...parts.map(({ services }) => services)),
    attach: (internals) => {
      for (const { attach } of parts) attach?.(internals)
    },
  }
  last = { parts, whole }
  return whole
}

type DeferredMembers = Pick<Engine, 'operations' | 'due' | 'effects'>

interface Merge {
  /** The operations of the loaded parts. Kernels with different options can have different operations of a part. */
  readonly from: readonly Operations[]
  readonly members: DeferredMembers
}

/**
 * The last merge, by base engine and by the names of the loaded parts. Kernels share merged operations, because route tables are cached by
 * operations.
 */
const merges = new WeakMap<Engine, Map<string, Merge>>()

function membersOf(base: Engine, parts: readonly DeferredEngine[]): DeferredMembers {
  const ofBase = merges.get(base) ?? new Map<string, Merge>()
  merges.set(base, ofBase)
  const names = parts.map(({ part }) => part).join()
  const from = parts.map(({ operations }) => operations)
  const known = ofBase.get(names)
  if (known && from.every((operations, index) => operations === known.from[index])) return known.members
  const members = {
    operations: merged([base.operations, ...from]),
    due: Object.assign({}, ...[base, ...parts].map(({ due }) => due)),
    effects: [base, ...parts].flatMap(({ effects = [] }) => effects),
  }
  ofBase.set(names, { from, members })
  return members
}

/**
 * Returns the engine that serves `sys/` in one kernel. Its operations, due work and effects are those of `base` and of the parts whose code
 * is loaded. Its other members are those of `base` and of all parts.
 */
export function systemWithDeferred(base: Engine, parts: readonly DeferredEngine[]): Engine {
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
    facades: Object.assign({}, base.facades, ...parts.map(({ facades }) => facades)),
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

/** @throws TypeError if two of the merged engines define an operation of the same name. */
function merged(parts: readonly Operations[]): Operations {
  const operations = new Map<string, Operations[string]>()
  for (const [name, operation] of parts.flatMap(Object.entries)) {
    if (operations.has(name)) throw new TypeError(`sys/ has two operations with the name ${name}`)
    operations.set(name, operation)
  }
  return Object.fromEntries(operations)
}
