/** Makes the history of this cluster that of its primary. */
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { quarantineRecords } from '../lost/quarantine.ts'
import type { Membership, SetMember } from '../membership.ts'
import { lastOf } from '../state/history.ts'
import type { SetHost } from '../state/set-host.ts'
import type { StoredProgress } from './apply-records.ts'
import type { FollowRules } from './follow-rules.ts'
import type { PrimaryState } from './primary-state.ts'

interface HistoryParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly rules: FollowRules
}

/**
 * Quarantines and counts the records after the fork, which the current primary never had, and moves the position back to the fork. This
 * cluster wrote these records as a primary, or received them from a primary that was lost.
 *
 * @returns The number of these records.
 */
export async function rewindToFork(
  { host, rules }: Pick<HistoryParts, 'host' | 'rules'>,
  { relation }: SetMember,
  stored: StoredProgress,
  fork: number,
  fence: Fence,
): Promise<number> {
  const { scopeChangedAt: _, ...following } = stored.progress
  const gone = await quarantineRecords(host, { history: relation.history, fork, applied: following.applied }, fence)
  await rules.storeProgress(host, { ...following, applied: fork, differs: true, lost: following.lost + gone }, stored, fence)
  return gone
}

/** Stores the primary's history, unless this cluster already has it. */
export async function adoptHistory(
  { membership }: Pick<HistoryParts, 'membership'>,
  { relation }: SetMember,
  { history, gaps }: PrimaryState,
): Promise<void> {
  const isSame = JSON.stringify(relation.history) === JSON.stringify(history) && (relation.gaps ?? 0) === gaps
  if (isSame) return
  const knownGaps = gaps > 0 ? { gaps } : {}
  const { epoch } = lastOf(history)
  await membership.edit((now) => ({ ...now, history, max_epoch: Math.max(now.max_epoch, epoch), ...knownGaps }))
}
