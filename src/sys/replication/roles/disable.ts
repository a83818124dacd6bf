/** Removes this cluster from its replication set. The cluster keeps its data. */
import { conflict } from '../../../core/base/errors.ts'
import { discardCachedState } from '../../../core/kernel/kernel-lifecycle.ts'
import { NOT_A_MEMBER } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'
import { keepLostCountOps } from '../lost/lost-count.ts'
import { type Membership, roleConflict } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { DR, PERFORMANCE, SECRETS, secretKey } from '../state/replication-kind.ts'
import { forgetPeers } from './forget-peers.ts'

/** @throws KernelError 400 unless the role of the cluster is `mode`. */
export async function disable(context: ReplicationContext, mode: 'primary' | 'secondary'): Promise<void> {
  const { membership, host } = context
  const { store, kind } = host
  await store.commits.loadRole()
  assertMode(membership, mode)
  // The cryptographic keys for sessions with other clusters are deleted below, so end these sessions.
  context.server.end()
  context.follower.end()
  context.acknowledgements.end()
  const { version } = await membership.member()
  // Check again, because another kernel may have changed the role during the reads. The commit below fails if the role changes after this
  // check.
  assertMode(membership, mode)
  const { value: progress } = await kind.replicaProgress.read(store)
  const leaves = kind === DR && mode === 'secondary'
  const ops: readonly Op[] = [
    // After a DR secondary has left the set, it receives no more counts of key uses from the primary. So record a gap in the counts.
    membership.roleOp(NOT_A_MEMBER, leaves ? membership.gapsWithOneMore : undefined, leaves ? NOT_A_MEMBER : undefined),
    { op: 'del', key: kind.relationKey, expect: version },
    ...SECRETS.map((name) => ({ op: 'del', key: secretKey(kind, name) }) as const),
    { op: 'del', key: kind.treeProgress.key },
    { op: 'del', key: kind.replicaProgress.key },
    { op: 'del', key: kind.heard.key },
    ...(await keepLostCountOps(host, progress)),
    ...(leaves ? deletePerformancePart() : []),
  ]
  const verdict = await store.commit(ops, leaves ? { applies: { upstream: undefined } } : undefined)
  membership.invalidate()
  if (!verdict.ok) throw roleConflict()
  const role = { ...store.commits.roleFence, version: verdict.revision }
  await forgetPeers(host, kind, role)
  if (leaves) {
    await discardCachedState(context.internals)
    await forgetPeers(host, PERFORMANCE, role)
  }
  await context.applyRole()
  host.events.publishKernelEvent('replication.mode_changed', { kind: kind.name, mode: 'disabled' })
}

function assertMode(membership: Membership, mode: 'primary' | 'secondary'): void {
  if (membership.mode !== mode) throw conflict(`the cluster is not a ${mode}`)
}

/**
 * Returns the operations that delete the membership in the performance set when a DR secondary leaves its set: it is a copy of the membership
 * of its primary, which the cluster must not keep.
 */
const deletePerformancePart = (): readonly Op[] => [
  { op: 'del', key: PERFORMANCE.relationKey },
  ...SECRETS.map((name) => ({ op: 'del', key: secretKey(PERFORMANCE, name) }) as const),
]
