/**
 * All kinds of entries.
 */
import type { Kind } from './kind.ts'
import { mesh } from './kinds/mesh.ts'
import { proxyDefaults } from './kinds/proxy-defaults.ts'
import { serviceDefaults } from './kinds/service-defaults.ts'
import { serviceIntentions } from './kinds/service-intentions.ts'
import { serviceResolver } from './kinds/service-resolver.ts'
import { serviceRouter } from './kinds/service-router.ts'
import { serviceSplitter } from './kinds/service-splitter.ts'

const all: readonly Kind[] = [
  mesh,
  proxyDefaults,
  serviceDefaults,
  serviceIntentions,
  serviceResolver,
  serviceRouter,
  serviceSplitter,
]

/** By name. */
export const KINDS: ReadonlyMap<string, Kind> = /* @__PURE__ */ new Map(all.map((kind) => [kind.name, kind]))
