/**
 * The first record of an epoch: from there on the newest entry of the log has a place in it.
 */
import { decodeRecord, jsonRecord, withFormat } from '../../../core/contract/record-kind.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import type { Center } from '../center.ts'
import { lastOf } from '../state/history.ts'
import { DR } from '../state/kind.ts'

/** Which epoch of the set for disaster recovery has begun: what a cluster keeps of its part there is in no log. */
const BEGUN = /* @__PURE__ */ jsonRecord<{ readonly epoch: number }>({ class: 'l', folder: 'replication-epoch' })

const BEGUN_KEY = /* @__PURE__ */ keyOf(BEGUN, 'dr')

export async function firstRecord({ host, membership, beside }: Center): Promise<void> {
  if (host.kind !== DR) {
    await membership.edit((relation) => ({ ...relation }))
    return
  }
  // With the role it took over its part among the clusters that serve.
  if (await beside.membership.current()) await beside.membership.edit((relation) => ({ ...relation, mode: modeOf(beside) }))
  const { epoch } = lastOf((await membership.member()).relation.history)
  const stored = withFormat(BEGUN.format, BEGUN.encode({ epoch }))
  await host.store.commit([host.store.sealed(BEGUN_KEY, stored, undefined)])
}

/**
 * Whoever was promoted for disaster recovery may have died before the first record. The commit of its promotion is in no epoch, so
 * without that record its secondaries would never hear of the part that it took over.
 */
export async function beginEpoch(center: Center): Promise<void> {
  const { host, membership } = center
  if (host.kind !== DR || membership.mode !== 'primary') return
  const [found] = await host.store.getMany([BEGUN_KEY])
  const { epoch } = lastOf((await membership.member()).relation.history)
  if (!found || decodeRecord(BEGUN, found.value).epoch !== epoch) await firstRecord(center)
}

const modeOf = ({ membership }: Center): 'primary' | 'secondary' => (membership.mode === 'primary' ? 'primary' : 'secondary')
