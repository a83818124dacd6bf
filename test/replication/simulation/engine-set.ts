/** The engines of a kernel in which some replication rules are replaced. */

import type { Engine } from '../../../src/core/contract/engine.ts'
import { type EngineSet, engineSetOf } from '../../../src/engine-set.ts'
import { replicationWithRules } from '../../../src/sys/replication/engine.ts'
import type { ReplicationRules } from '../../../src/sys/replication/replication-context.ts'
import { REPLICATION_RULES } from '../../../src/sys/replication/rules.ts'
import { ALL_PARTS, ENGINES, PACKAGE_ENGINES, SYSTEM } from '../../fixtures/all-engines.ts'

/** Kernels with the same rules share their engines, because the kernel caches routes by them. */
const known = new WeakMap<Partial<ReplicationRules>, EngineSet>()

const isReplication = ({ ports = {} }: Engine): boolean => 'replication' in ports

export function engineSetWith(rules?: Partial<ReplicationRules>): EngineSet {
  if (!rules) return { engines: ENGINES, system: SYSTEM }
  const found = known.get(rules)
  if (found) return found
  const replaced = replicationWithRules({ ...REPLICATION_RULES, ...rules })
  const made = engineSetOf([...ALL_PARTS, ...PACKAGE_ENGINES.map((engine) => (isReplication(engine) ? replaced : engine))])
  known.set(rules, made)
  return made
}
