/**
 * Adapts the replication state of a store that was restored from a backup. Other clusters may have received commits that the backup lacks.
 */
import { isBecomingSecondary } from '../../../core/log/role.ts'
import type { Op } from '../../../core/storage/port.ts'
import { RESTORED_KEY } from '../../../core/storage/restored-key.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { headOf } from '../serve/hello.ts'
import { newOrigin, withEpoch } from '../state/history.ts'
import { nextEpoch } from '../state/records.ts'
import { writeFirstRecord } from './first-record.ts'
import { withEpochProof } from './with-epoch-proof.ts'

/**
 * A primary begins a new epoch, so that its new records are not confused with records that were written after the backup and lost. A
 * secondary compares all records with its primary. Both record a gap in the counts of key uses, because uses after the backup are no longer
 * counted.
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
  // Record the gap only once, with the last context: key uses are counted per cluster, not per kind of replication.
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
  // A cluster that is becoming a secondary deletes its counters of key uses, so it needs no gap.
  const gap = isBecomingSecondary(membership.role) ? [] : [membership.roleOp({ mode, epoch, origin }, gaps)]
  await store.commit([
    ...over,
    ...gap,
    ...(value ? [host.kind.replicaProgress.put(store, { ...value, differs: true }, followed)] : []),
  ])
}
