/**
 * What a cluster takes over with the role of its primary for disaster recovery: the part among the clusters that serve, and serving itself.
 */
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import { begunAnew } from '../../../core/kernel/lifecycle.ts'
import { NO_PART } from '../../../core/log/role.ts'
import type { Center } from '../center.ts'
import { isClear } from '../follow/received.ts'
import { newestEntry } from '../log/log-pages.ts'
import { type Epoch, lastOf, newOrigin, withEpoch } from '../state/history.ts'
import { DR, PERFORMANCE } from '../state/kind.ts'
import { type Following, nextEpoch, type Relation, unbuilt } from '../state/records.ts'
import { SetKeys } from '../state/set-keys.ts'
import { begunEpoch } from './begun-epoch.ts'
import type { TakenOver } from './taken-over.ts'

const NOTHING: TakenOver = { part: undefined, ops: [] }

/**
 * The part that the primary had: as a primary with an epoch of its own behind the last record that is here, so that secondaries which have no
 * more than that go on where they are; as a secondary with the same credentials.
 * @param address Where secondaries reach this cluster; empty: as the primary said.
 */
export async function takenOver({ host, beside }: Center, following: Following, address: string): Promise<TakenOver> {
  if (host.kind !== DR) return NOTHING
  const { store, env } = host
  const [found] = await store.getMany([PERFORMANCE.relationKey])
  if (!found) return { part: NO_PART, ops: [] }
  const relation = decodeRecord(PERFORMANCE.relation, found.value)
  const last = lastOf(relation.history)
  const index = following.served?.index ?? last.start
  const entry = await newestEntry(store)
  if (relation.mode !== 'primary') {
    // The log here may have what a filter took away from the former secondary.
    const { value: before } = await PERFORMANCE.following.read(store)
    const next: Following = { applied: index, differs: true, fuzzy_until: null, lost: before?.lost ?? 0, removing: true }
    const ops = [PERFORMANCE.following.put(store, next), PERFORMANCE.folded.put(store, { ...unbuilt(entry), index })]
    return { part: { mode: 'secondary', epoch: 0, origin: '' }, ops }
  }
  const epoch = nextEpoch(relation)
  const origin = newOrigin(env.entropy)
  const isExact = isClear(following) && following.served !== undefined
  const begun = await provenEpoch(beside, relation, {
    epoch,
    origin,
    start: index,
    ...(isExact ? {} : { rebase: true as const }),
  })
  const next: Relation = {
    ...relation,
    history: withEpoch(relation.history, begun),
    max_epoch: epoch,
    ...(address === '' ? {} : { primary_cluster_addr: address }),
  }
  const ops = [
    beside.membership.relationOp(next, found.version),
    PERFORMANCE.folded.put(store, { ...unbuilt(entry), index: index + entry }),
  ]
  return { part: { mode: 'primary', epoch, origin }, ops }
}

/** The former primary knows the epoch by its own key pair, which this cluster holds as well. */
async function provenEpoch({ host }: Center, relation: Relation, epoch: Epoch): Promise<Epoch> {
  const keys = await SetKeys.load(host)
  if (!keys) return epoch
  try {
    return await begunEpoch(host, { relation, keys }, epoch)
  } finally {
    keys.wipe()
  }
}

/** Everything that is held is in force. @returns What is not as it was, in sentences. */
export async function beginToServe({ insides, beside }: Center): Promise<readonly string[]> {
  await begunAnew(insides)
  beside.membership.forget()
  await insides.audit.fresh()
  await beside.settle()
  return insides.audit.unopened.map((name) => `the audit device ${name}/ cannot be opened here: it takes no entries`)
}
