/** The engines that every kernel has, in addition to the chosen ones. */

import type { Engine } from './core/contract/engine.ts'
import type { Operations } from './core/contract/operation.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { identity } from './sys/identity.ts'
import { system } from './sys/index.ts'
import { token } from './sys/token/index.ts'

export interface EngineSet {
  readonly engines: readonly Engine[]
  /** The engine that serves `sys/`. It is also contained in `engines`. */
  readonly system: Engine
}

/**
 * Returns the given engines and the engines that every kernel needs to answer requests. Given engines of the type `system` are merged into
 * the engine that serves `sys/`.
 */
export function engineSetOf(values: readonly Engine[]): EngineSet {
  checkNeeds(values)
  const parts = values.filter(({ type }) => type === system.type)
  const whole = systemWith(parts)
  return { engines: [...values.filter(({ type }) => type !== system.type), whole, token, identity], system: whole }
}

/** @throws TypeError if an engine needs a part of `sys/` that is missing. */
function checkNeeds(values: readonly Engine[]): void {
  const parts = new Set(values.map(({ part }) => part))
  for (const { type, part, leases, needs = [] } of values) {
    const missing = [...(leases ? ['leases'] : []), ...needs].find((name) => !parts.has(name))
    if (missing !== undefined) throw new TypeError(`createKernel: sys: the engine ${part ?? type} needs the part ${missing}()`)
  }
}

/** The parts of `sys/` that the last kernel was created with, and the engine that resulted from merging them with the system engine. */
let last: { readonly parts: readonly Engine[]; readonly whole: Engine } | undefined

/**
 * Returns the engine that serves `sys/`. Equal parts get the same object, because it is the key under which route tables are cached, and
 * most kernels of a process have equal parts.
 */
function systemWith(parts: readonly Engine[]): Engine {
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

/** Returns the mounts that a new store gets for these engines, in addition to the built-in mounts. */
export const freshMountsOf = (engines: readonly Engine[]): readonly InitialMount[] =>
  engines.flatMap(({ type, fresh = [] }) => fresh.map((mount) => ({ type, options: {}, ...mount })))

/** @throws TypeError if two of the merged engines define an operation of the same name. */
function merged(parts: readonly Operations[]): Operations {
  const operations = new Map<string, Operations[string]>()
  for (const [name, operation] of parts.flatMap(Object.entries)) {
    if (operations.has(name)) throw new TypeError(`sys/ has two operations with the name ${name}`)
    operations.set(name, operation)
  }
  return Object.fromEntries(operations)
}
