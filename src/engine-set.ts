/** The engines that every kernel has, in addition to the chosen ones. */

import type { Engine } from './core/contract/engine.ts'
import type { Operations } from './core/contract/operation.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { identity } from './sys/identity.ts'
import { system } from './sys/index.ts'
import { token } from './sys/token/index.ts'

export interface EngineSet {
  readonly engines: readonly Engine[]
  /** The engine that serves `sys/`; one of `engines`. */
  readonly system: Engine
}

/**
 * The given engines and those without which no request can be served. Values of the type `system` are merged into the engine that serves
 * `sys/`.
 */
export function engineSetOf(values: readonly Engine[]): EngineSet {
  const parts = values.filter(({ type }) => type === system.type)
  // Without parts, return the same object every time, because route tables are cached by it.
  const whole: Engine =
    parts.length === 0
      ? system
      : {
          ...system,
          operations: merged([system, ...parts].map(({ operations }) => operations)),
          due: Object.assign({}, ...parts.map(({ due }) => due)),
          effects: parts.flatMap(({ effects = [] }) => effects),
          facades: Object.assign({}, ...parts.map(({ facades }) => facades)),
          ports: Object.assign({}, ...parts.map(({ ports }) => ports)),
          options: parts.flatMap(({ options = [] }) => options),
          events: parts.flatMap(({ events = [] }) => events),
          services: Object.assign({}, ...parts.map(({ services }) => services)),
          attach: (internals) => {
            for (const { attach } of parts) attach?.(internals)
          },
        }
  return { engines: [...values.filter(({ type }) => type !== system.type), whole, token, identity], system: whole }
}

/** The mounts of these engines in a fresh store, in addition to the built-in mounts. */
export const freshMountsOf = (engines: readonly Engine[]): readonly InitialMount[] =>
  engines.flatMap(({ type, fresh = [] }) => fresh.map((mount) => ({ type, options: {}, ...mount })))

/** @throws TypeError if two parts define the same operation. */
function merged(parts: readonly Operations[]): Operations {
  const operations = new Map<string, Operations[string]>()
  for (const [name, operation] of parts.flatMap(Object.entries)) {
    if (operations.has(name)) throw new TypeError(`sys/ has two operations with the name ${name}`)
    operations.set(name, operation)
  }
  return Object.fromEntries(operations)
}
