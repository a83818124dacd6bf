/** The engines of `createKernel` in the root entry. */

import { ALL_PARTS } from './all-parts.ts'
import { configsvc } from './configsvc/engine.ts'
import type { Engine } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { engineSetOf, freshMountsOf } from './engine-set.ts'
import { cloud } from './engines/cloud/engine.ts'
import { cubbyhole } from './engines/cubbyhole/engine.ts'
import { database } from './engines/database/engine.ts'
import { kv } from './engines/kv/engine.ts'
import { orchestrator } from './engines/orchestrator/engine.ts'
import { transit } from './engines/transit/engine.ts'
import { plugins } from './sys/plugins/engine.ts'
import { replication } from './sys/replication/engine.ts'
import { sync } from './sys/sync/engine.ts'

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

const ENGINE_SET = engineSetOf([...ALL_PARTS, ...PACKAGE_ENGINES])

export const ENGINES: readonly Engine[] = ENGINE_SET.engines

/** The engine that serves `sys/`. Some of its operations answer in every state of the kernel, for example while it is sealed. */
export const SYSTEM: Engine = ENGINE_SET.system

/** The mounts that a new store gets in addition to the mounts that every namespace has. The paths are Vault's. */
export const FRESH_MOUNTS: readonly InitialMount[] = freshMountsOf(PACKAGE_ENGINES)
