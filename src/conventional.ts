/** The engines of `createKernel` in the root entry. */

import type { Engine } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { engineSetOf, freshMountsOf } from './engine-set.ts'
import { cloud, configsvc, cubbyhole, database, kv, orchestrator, plugins, replication, sync, transit } from './engines.ts'

/** All engines of this package. */
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

/** The engine that serves `sys/`. Some of its operations answer in every state of the kernel, for example while it is sealed. */
export const SYSTEM: Engine = ENGINE_SET.system

/** The mounts that a new store gets in addition to the mounts that every namespace has. The paths are Vault's. */
export const FRESH_MOUNTS: readonly InitialMount[] = freshMountsOf(PACKAGE_ENGINES)
