/** Handles a store that was restored from a backup. Other clusters may have followed a later state of the store. */
import { isBecomingSecondary } from '../../../core/log/role.ts'
import { RESTORED_KEY } from '../../../core/storage/backup.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { headOf } from '../serve/hello.ts'
import { newOrigin, withEpoch } from '../state/history.ts'
import { nextEpoch } from '../state/records.ts'
import { writeFirstRecord } from './first-record.ts'
import { withEpochProof } from './with-epoch-proof.ts'

/**
 * A primary begins an epoch, so that its new records are not confused with those written after the backup. A secondary compares all records
 * with its primary. Primaries and secondaries also allow for key uses that were counted after the backup.
 */
export async function handleRestoredStore(contexts: readonly ReplicationContext[]): Promise<void> {
  for (const context of contexts) await handleRestored(context, context === contexts.at(-1))
}

async function handleRestored(context: ReplicationContext, isLast: boolean): Promise<void> {
  const { host, membership } = context
  const { store, env } = host
  const [version] = await store.versions([RESTORED_KEY])
  if (version === undefined || version === 0) return
  const over: readonly Op[] = isLast ? [{ op: 'del', key: RESTORED_KEY, expect: version }] : []
  // Key uses are counted per cluster, independently of the sets to which the cluster belongs.
  const gaps = isLast ? membership.gapsWithOneMore : undefined
  const member = await membership.current()
  if (member && membership.mode === 'primary') {
    const { relation } = member
    const epoch = nextEpoch(relation)
    const begun = await withEpochProof(host, member, {
      epoch,
      origin: newOrigin(env.entropy),
      start: await headOf(host, relation.history),
      rebase: true,
    })
    const next = { ...relation, max_epoch: epoch, history: withEpoch(relation.history, begun) }
    await store.commit([
      membership.roleOp({ mode: 'primary', epoch, origin: begun.origin }, gaps),
      membership.relationOp(next, member.version),
      ...over,
    ])
    membership.invalidate()
    await writeFirstRecord(context)
    return
  }
  if (!member && !isLast) return
  const { value, version: followed } = await host.kind.replicaProgress.read(store)
  const { mode, epoch, origin } = host.kind.partOf(membership.role)
  // A cluster that is becoming a secondary deletes its counters.
  const gap = isBecomingSecondary(membership.role) ? [] : [membership.roleOp({ mode, epoch, origin }, gaps)]
  await store.commit([
    ...over,
    ...gap,
    ...(value ? [host.kind.replicaProgress.put(store, { ...value, differs: true }, followed)] : []),
  ])
}
