/** All parts of `sys/` that a kernel can do without. */

import { audit } from './sys/audit/engine.ts'
import { generateRoot } from './sys/generate-root/engine.ts'
import { help } from './sys/help/engine.ts'
import { leases } from './sys/leases/engine.ts'
import { namespaces } from './sys/namespaces/engine.ts'
import { policies } from './sys/policies/engine.ts'
import { rekey } from './sys/rekey/engine.ts'
import { wrapping } from './sys/wrapping/engine.ts'

export const ALL_PARTS = [policies(), leases(), namespaces(), wrapping(), audit(), rekey(), generateRoot(), help()] as const

export type AllParts = typeof ALL_PARTS
