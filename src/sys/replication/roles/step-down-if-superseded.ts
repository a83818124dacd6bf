/** A primary steps down when it learns of a newer epoch of its set, because another cluster has taken over. */
import type { ReplicationContext } from '../replication-context.ts'
import { stepDownPrimary } from './demote-primary.ts'

/** @param epoch The highest epoch that a member has proven or that the fence register contains; 0 if neither has one. */
export async function stepDownIfSuperseded(context: ReplicationContext, epoch: number): Promise<void> {
  const { membership } = context
  const { relation } = await membership.member()
  if (epoch <= relation.max_epoch) return
  await membership.edit((now) => (now.max_epoch < epoch ? { ...now, max_epoch: epoch } : undefined))
  if (membership.mode !== 'primary') return
  await stepDownPrimary(context, false)
  context.acknowledgements.end()
}
