/**
 * What every kernel has, whatever engines it is made of.
 */

import type { Engine } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { identity } from './sys/identity.ts'
import { system } from './sys/index.ts'
import { token } from './sys/token/index.ts'

/** Without these there are no requests. */
export const ALWAYS: readonly Engine[] = [system, token, identity]

/** What a fresh store has mounted of the engines, beside the mounts that every namespace has. */
export const freshMountsOf = (engines: readonly Engine[]): readonly InitialMount[] =>
  engines.flatMap(({ type, fresh = [] }) => fresh.map((mount) => ({ type, ...mount })))
