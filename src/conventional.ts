/** The engines that `createKernel` uses if it is imported from the root entry of the package. */

import { DEFERRED_PARTS, LOADED_PARTS } from './all-parts.ts'
import { configsvc } from './configsvc/engine.ts'
import { deferred } from './core/contract/deferred.ts'
import type { DeferredEngineValue, Engine } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { DEFERRED_BY_ALL, engineSetOf, freshMountsOf } from './engine-set.ts'
import { CLOUD_MANIFEST } from './engines/cloud/manifest.ts'
import { cubbyhole } from './engines/cubbyhole/engine.ts'
import { DATABASE_MANIFEST } from './engines/database/manifest.ts'
import { kv } from './engines/kv/engine.ts'
import { ORCHESTRATOR_MANIFEST } from './engines/orchestrator/manifest.ts'
import { transit } from './engines/transit/engine.ts'
import * as choices from './engines.ts'
import { PLUGINS_MANIFEST } from './sys/plugins/manifest.ts'
import { REPLICATION_MANIFEST } from './sys/replication/manifest.ts'
import { SYNC_MANIFEST } from './sys/sync/manifest.ts'

/** The engines, and parts of `sys/`, that are loaded when a kernel is created. */
const LOADED = [...LOADED_PARTS, transit(), kv(), cubbyhole(), configsvc()] as const

/** The engines, and parts of `sys/`, that are loaded when they are first needed, except those that every kernel has. */
const DEFERRED = [
  deferred(DATABASE_MANIFEST, choices.database()),
  deferred(CLOUD_MANIFEST, choices.cloud()),
  deferred(ORCHESTRATOR_MANIFEST, choices.orchestrator()),
  deferred(PLUGINS_MANIFEST, choices.plugins()),
  deferred(REPLICATION_MANIFEST, choices.replication()),
  deferred(SYNC_MANIFEST, choices.sync()),
  ...DEFERRED_PARTS,
] as const

/** The engines and the parts of `sys/` that a kernel of the root entry has. */
export type PackageEngines = readonly [...typeof LOADED, ...typeof DEFERRED]

/** The engines, and parts of `sys/`, that are loaded when they are first needed. */
export const DEFERRED_ENGINES: readonly DeferredEngineValue[] = [...DEFERRED, ...DEFERRED_BY_ALL]

const ENGINE_SET = engineSetOf(LOADED, DEFERRED)

/** The loaded engines. */
export const ENGINES: readonly Engine[] = ENGINE_SET.engines

/**
 * The engine that serves `sys/`, with the loaded parts. Some of its operations answer in every state of the kernel, for example while it is
 * sealed.
 */
export const SYSTEM: Engine = ENGINE_SET.system

/** The mounts that a new store gets in addition to the mounts that every namespace has. The paths are Vault's. */
export const FRESH_MOUNTS: readonly InitialMount[] = freshMountsOf([
  ...LOADED,
  ...DEFERRED_ENGINES.map(({ manifest }) => manifest),
])
