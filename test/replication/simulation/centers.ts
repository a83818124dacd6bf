/** Replication of a process, both kinds of it. */
import { type Center, REPLICATION } from '../../../src/sys/replication/center.ts'
import type { KindName } from '../../../src/sys/replication/state/kind.ts'
import type { Node } from './site.ts'

/** @throws Error where the process does not run. */
export const centersOf = ({ insides }: Node): Readonly<Record<KindName, Center>> => {
  if (!insides) throw new Error('it does not run')
  return REPLICATION.of(insides.host)
}
