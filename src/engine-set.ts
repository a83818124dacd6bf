/** The engines that every kernel has, in addition to the chosen ones. */

import { deferred } from './core/contract/deferred.ts'
import type { DeferredEngineValue, Engine, EngineManifest } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { ADMINISTRATION_MANIFEST } from './sys/administration/manifest.ts'
import { IDENTITY_MANIFEST } from './sys/identity/manifest.ts'
import { system } from './sys/index.ts'
import { TOKEN_MANIFEST } from './sys/token/manifest.ts'
import { systemWith } from './system-engine.ts'

/** The engines, and parts of `sys/`, that every kernel has and that are loaded when they are first needed. */
export const DEFERRED_BY_ALL: readonly DeferredEngineValue[] = [
  deferred(ADMINISTRATION_MANIFEST, {
    type: system.type,
    load: async () => (await import('./sys/administration/engine.ts')).administration,
  }),
  deferred(TOKEN_MANIFEST, { type: TOKEN_MANIFEST.type, load: async () => (await import('./sys/token/engine.ts')).token }),
  deferred(IDENTITY_MANIFEST, {
    type: IDENTITY_MANIFEST.type,
    load: async () => (await import('./sys/identity/engine.ts')).identity,
  }),
]

export interface EngineSet {
  readonly engines: readonly Engine[]
  /** The engine that serves `sys/`. It is also contained in `engines`. */
  readonly system: Engine
}

/**
 * Returns the given engines and the loaded engines that every kernel has. Given engines of the type `system` are merged into
 * the engine that serves `sys/`.
 * @param deferred The engines, and parts of `sys/`, that the kernel has too, but that are loaded later.
 */
export function engineSetOf(values: readonly Engine[], deferred: readonly DeferredEngineValue[] = []): EngineSet {
  checkNeeds([...values, ...deferred.map(({ manifest }) => manifest)])
  const parts = values.filter(({ type }) => type === system.type)
  const whole = systemWith(parts)
  return { engines: [...values.filter(({ type }) => type !== system.type), whole], system: whole }
}

/** @throws TypeError if an engine needs a part of `sys/` that is missing. */
function checkNeeds(values: readonly (Engine | EngineManifest)[]): void {
  const parts = new Set(values.map(({ part }) => part))
  for (const { type, part, leases, needs = [] } of values) {
    const missing = [...(leases ? ['leases'] : []), ...needs].find((name) => !parts.has(name))
    if (missing !== undefined) throw new TypeError(`createKernel: sys: the engine ${part ?? type} needs the part ${missing}()`)
  }
}

/** Returns the mounts that a new store gets for these engines, in addition to the built-in mounts. */
export const freshMountsOf = (engines: readonly Pick<Engine, 'type' | 'fresh'>[]): readonly InitialMount[] =>
  engines.flatMap(({ type, fresh = [] }) => fresh.map((mount) => ({ type, options: {}, ...mount })))
