/**
 * Requires write leases for commits. A cluster that is the primary of both a performance set and a DR set needs the write lease of each set
 * that receives the commit.
 */
import type { Role } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { WriteLease } from '../../../core/transaction/committer.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { isReplicatedKey } from '../state/replication-kind.ts'
import type { FenceLease } from './fence-lease.ts'

/** @param contexts The performance replication and the DR replication of one kernel. */
export function writeLeaseOf(contexts: readonly ReplicationContext[]): WriteLease {
  const needed = (role: Role, ops: readonly Op[]): readonly FenceLease[] =>
    contexts.flatMap(({ host: { kind }, writeLease }) =>
      writeLease && kind.partOf(role).mode === 'primary' && ops.some((op) => isSent(kind, op)) ? [writeLease] : [],
    )
  return {
    acquire(role, ops) {
      const asked = needed(role, ops).flatMap((lease) => lease.obtain() ?? [])
      return asked.length === 0 ? undefined : Promise.all(asked).then(() => {})
    },
    isValid: (role, ops) => needed(role, ops).every((lease) => lease.isHeld),
  }
}

const isSent = (kind: Parameters<typeof isReplicatedKey>[0], op: Op): boolean =>
  op.op !== 'append' && op.op !== 'check' && isReplicatedKey(kind, op.key)
