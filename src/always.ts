/** The engines that every kernel has, whatever other engines it is made of. */

import type { Engine } from './core/contract/engine.ts'
import type { InitialMount } from './core/kernel/first-records.ts'
import { identity } from './sys/identity.ts'
import { system } from './sys/index.ts'
import { token } from './sys/token/index.ts'

/** Without these engines no request can be served. */
export const ALWAYS: readonly Engine[] = [system, token, identity]

/** The mounts of these engines in a fresh store, beside the mounts that every namespace has. */
export const freshMountsOf = (engines: readonly Engine[]): readonly InitialMount[] =>
  engines.flatMap(({ type, fresh = [] }) => fresh.map((mount) => ({ type, ...mount })))
