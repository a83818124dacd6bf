/** Replication of a process, both kinds of it. */
import { REPLICATION, type ReplicationContext } from '../../../src/sys/replication/replication-context.ts'
import type { ReplicationKindName } from '../../../src/sys/replication/state/replication-kind.ts'
import type { Node } from './site.ts'

/** @throws Error where the process does not run. */
export const centersOf = ({ internals }: Node): Readonly<Record<ReplicationKindName, ReplicationContext>> => {
  if (!internals) throw new Error('it does not run')
  return REPLICATION.of(internals.host)
}
