/**
 * The engines of the root's `createKernel`.
 */

import { ALWAYS, freshMountsOf } from './always.ts'
import type { Engine } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { cubbyhole, database, kv, orchestrator, transit } from './engines.ts'
import { system } from './sys/index.ts'

/** The system engine, some of whose operations answer in every state. */
export const SYSTEM: Engine = system

/** All engines of this package, as values. */
export const OURS = [transit(), kv(), database(), cubbyhole(), orchestrator()] as const

export const ENGINES: readonly Engine[] = [...OURS, ...ALWAYS]

/** The conventional mounts (spec document 1), beside those that every namespace has. */
export const FRESH_MOUNTS: readonly InitialMount[] = freshMountsOf(OURS)
