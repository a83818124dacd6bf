/** Writes the first log record of an epoch, so that the newest entry of the log belongs to that epoch. */
import { coreRecord } from '../../../core/contract/core-record.ts'
import { decodeRecord, withFormat } from '../../../core/contract/record-kind.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import { DR } from '../state/replication-kind.ts'

/**
 * The first record of a new DR epoch. It contains the number of the epoch. A separate record is needed because changes of the DR membership
 * do not appear in the log. The class `l` means that this record is copied to DR secondaries only.
 */
const EPOCH_RECORD = /* @__PURE__ */ coreRecord<{ readonly epoch: number }>({ class: 'l', folder: 'replication-epoch' })

const EPOCH_RECORD_KEY = /* @__PURE__ */ coreRecordKey(EPOCH_RECORD, 'dr')

export async function writeFirstRecord({ host, membership, otherKind }: ReplicationContext): Promise<void> {
  if (host.kind !== DR) {
    await membership.edit((relation) => ({ ...relation }))
    return
  }
  // Write the performance membership again so that the log contains it: this cluster took it over together with the DR role.
  if (await otherKind.membership.current())
    await otherKind.membership.edit((relation) => ({ ...relation, mode: modeOf(otherKind) }))
  const { epoch } = lastOf((await membership.member()).relation.history)
  const stored = withFormat(EPOCH_RECORD.format, EPOCH_RECORD.encode({ epoch }))
  await host.store.commit([host.store.encryptedPut(EPOCH_RECORD_KEY, stored, undefined)])
}

/**
 * Writes the first record if the kernel stopped after a DR promotion and before writing that record. Secondaries do not receive the
 * promotion commit itself, because it belongs to no epoch. Without the first record, they would never receive the performance role that was
 * taken over.
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
