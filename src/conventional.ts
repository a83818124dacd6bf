/**
 * The engines of the root's `createKernel`.
 */

import type { Engine } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { engineSetOf, freshMountsOf } from './engine-set.ts'
import { cloud, configsvc, cubbyhole, database, kv, orchestrator, plugins, replication, sync, transit } from './engines.ts'

/** All engines of this package, as values. */
export const PACKAGE_ENGINES = [
  transit(),
  kv(),
  database(),
  cloud(),
  cubbyhole(),
  orchestrator(),
  plugins(),
  replication(),
  sync(),
  configsvc(),
] as const

const ENGINE_SET = engineSetOf(PACKAGE_ENGINES)

export const ENGINES: readonly Engine[] = ENGINE_SET.engines

/** The system engine, some of whose operations answer in every state. */
export const SYSTEM: Engine = ENGINE_SET.system

/** The conventional mounts (spec document 1), beside those that every namespace has. */
export const FRESH_MOUNTS: readonly InitialMount[] = freshMountsOf(PACKAGE_ENGINES)
