/** Writes the first log record of an epoch, so that the newest entry of the log belongs to that epoch. */
import { decodeRecord, jsonRecord, withFormat } from '../../../core/contract/record-kind.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import { DR } from '../state/replication-kind.ts'

/**
 * The first record of a new DR epoch, which contains the number of the epoch. It is a record of class `l`, because the DR membership is not
 * logged.
 */
const EPOCH_RECORD = /* @__PURE__ */ jsonRecord<{ readonly epoch: number }>({ class: 'l', folder: 'replication-epoch' })

const EPOCH_RECORD_KEY = /* @__PURE__ */ coreRecordKey(EPOCH_RECORD, 'dr')

export async function writeFirstRecord({ host, membership, otherKind }: ReplicationContext): Promise<void> {
  if (host.kind !== DR) {
    await membership.edit((relation) => ({ ...relation }))
    return
  }
  // Log the performance role, which this cluster took over together with the DR role.
  if (await otherKind.membership.current())
    await otherKind.membership.edit((relation) => ({ ...relation, mode: modeOf(otherKind) }))
  const { epoch } = lastOf((await membership.member()).relation.history)
  const stored = withFormat(EPOCH_RECORD.format, EPOCH_RECORD.encode({ epoch }))
  await host.store.commit([host.store.encryptedPut(EPOCH_RECORD_KEY, stored, undefined)])
}

/**
 * Repeats the first record if the kernel stopped between a DR promotion and that record. The promotion commit belongs to no epoch. Without
 * the record, the secondaries would therefore never learn of the performance role that was taken over.
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
