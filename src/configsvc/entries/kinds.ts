/**
 * All kinds of entries.
 */
import type { Kind } from './kind.ts'
import { serviceDefaults } from './kinds/service-defaults.ts'

const all: readonly Kind[] = [serviceDefaults]

/** By name. */
export const KINDS: ReadonlyMap<string, Kind> = /* @__PURE__ */ new Map(all.map((kind) => [kind.name, kind]))
