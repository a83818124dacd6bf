/**
 * The first record of an epoch: from there on the newest entry of the log has a place in it.
 */
import { decodeRecord, jsonRecord, withFormat } from '../../../core/contract/record-kind.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import { DR } from '../state/replication-kind.ts'

/** Which epoch of the set for disaster recovery has begun: what a cluster keeps of its part there is in no log. */
const EPOCH_RECORD = /* @__PURE__ */ jsonRecord<{ readonly epoch: number }>({ class: 'l', folder: 'replication-epoch' })

const EPOCH_RECORD_KEY = /* @__PURE__ */ keyOf(EPOCH_RECORD, 'dr')

export async function writeFirstRecord({ host, membership, otherKind }: ReplicationContext): Promise<void> {
  if (host.kind !== DR) {
    await membership.edit((relation) => ({ ...relation }))
    return
  }
  // With the role it took over its part among the clusters that serve.
  if (await otherKind.membership.current())
    await otherKind.membership.edit((relation) => ({ ...relation, mode: modeOf(otherKind) }))
  const { epoch } = lastOf((await membership.member()).relation.history)
  const stored = withFormat(EPOCH_RECORD.format, EPOCH_RECORD.encode({ epoch }))
  await host.store.commit([host.store.sealed(EPOCH_RECORD_KEY, stored, undefined)])
}

/**
 * Whoever was promoted for disaster recovery may have died before the first record. The commit of its promotion is in no epoch, so
 * without that record its secondaries would never hear of the part that it took over.
 */
export async function ensureFirstRecord(context: ReplicationContext): Promise<void> {
  const { host, membership } = context
  if (host.kind !== DR || membership.mode !== 'primary') return
  const [found] = await host.store.getMany([EPOCH_RECORD_KEY])
  const { epoch } = lastOf((await membership.member()).relation.history)
  if (!found || decodeRecord(EPOCH_RECORD, found.value).epoch !== epoch) await writeFirstRecord(context)
}

const modeOf = ({ membership }: ReplicationContext): 'primary' | 'secondary' =>
  membership.mode === 'primary' ? 'primary' : 'secondary'
