/**
 * The engines of the root's `createKernel`.
 */

import { freshMountsOf, houseOf } from './always.ts'
import type { Engine } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { cloud, configsvc, cubbyhole, database, kv, orchestrator, plugins, replication, sync, transit } from './engines.ts'

/** All engines of this package, as values. */
export const OURS = [
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

const HOUSE = houseOf(OURS)

export const ENGINES: readonly Engine[] = HOUSE.engines

/** The system engine, some of whose operations answer in every state. */
export const SYSTEM: Engine = HOUSE.system

/** The conventional mounts (spec document 1), beside those that every namespace has. */
export const FRESH_MOUNTS: readonly InitialMount[] = freshMountsOf(OURS)
