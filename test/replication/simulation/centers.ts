/** The replication contexts of a process, for both kinds. */
import { REPLICATION, type ReplicationContext } from '../../../src/sys/replication/replication-context.ts'
import type { ReplicationKindName } from '../../../src/sys/replication/state/replication-kind.ts'
import type { Node } from './site.ts'

/** @throws Error if the process does not run. */
export const centersOf = ({ internals }: Node): Readonly<Record<ReplicationKindName, ReplicationContext>> => {
  if (!internals) throw new Error('it does not run')
  return REPLICATION.of(internals.host)
}
