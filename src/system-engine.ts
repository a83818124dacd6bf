/** The engine that serves `sys/`: the operations that every kernel has, merged with the parts that the kernel was created with. */

import type { Engine } from './core/contract/engine.ts'
import { mergedOperations } from './core/kernel/engine-with-parts.ts'
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
    operations: mergedOperations([system, ...parts].map(({ operations }) => operations)),
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
