/** All parts of `sys/` that a kernel can do without. */

import { deferred } from './core/contract/deferred.ts'
import { audit } from './sys/audit/engine.ts'
import { GENERATE_ROOT_MANIFEST } from './sys/generate-root/manifest.ts'
import { HELP_MANIFEST } from './sys/help/manifest.ts'
import { leases } from './sys/leases/engine.ts'
import { namespaces } from './sys/namespaces/engine.ts'
import { policies } from './sys/policies/engine.ts'
import { REKEY_MANIFEST } from './sys/rekey/manifest.ts'
import { wrapping } from './sys/wrapping/engine.ts'
import { generateRoot, help, rekey } from './sys-parts.ts'

/** The parts that are loaded when a kernel is created. */
export const LOADED_PARTS = [policies(), leases(), namespaces(), wrapping(), audit()] as const

/** The parts that are loaded when they are first needed. */
export const DEFERRED_PARTS = [
  deferred(REKEY_MANIFEST, rekey()),
  deferred(GENERATE_ROOT_MANIFEST, generateRoot()),
  deferred(HELP_MANIFEST, help()),
] as const

export type AllParts = readonly [...typeof LOADED_PARTS, ...typeof DEFERRED_PARTS]
