/**
 * All engines of a kernel, and what a fresh store has mounted. Room: composition root. Imported by kernel.ts and kernel-view.ts.
 */
import type { InitialMount } from './core/first-records.ts'
import type { Engine } from './core/mount/engine.ts'
import { cubbyhole } from './engines/cubbyhole/index.ts'
import { kv } from './engines/kv/index.ts'
import { orchestrator } from './engines/orchestrator/index.ts'
import { transit } from './engines/transit/index.ts'
import { identity } from './sys/identity.ts'
import { system } from './sys/index.ts'
import { token } from './sys/token/index.ts'

export const ENGINES: readonly Engine[] = [transit, kv, cubbyhole, orchestrator, system, token, identity]

/** Whose operations answer in every state, among others. */
export const SYSTEM: Engine = system

/** The conventional mounts (spec document 1), beside those that every namespace has. */
export const FRESH_MOUNTS: readonly InitialMount[] = [
  { path: 'secret/', type: 'kv', description: 'key/value secret storage', options: { version: '1' } },
  { path: 'transit/', type: 'transit', description: 'encryption as a service' },
  { path: 'auth/orchestrator/', type: 'orchestrator', description: 'service accounts of an orchestrator' },
]
