/**
 * A primary that hears of a newer epoch of its set was followed by another one: it writes nothing more.
 */
import type { Center } from '../center.ts'
import { stepDown } from './demote-primary.ts'

/** @param epoch The highest epoch that a member has proven, or that the fence holds; 0: none. */
export async function fenced(center: Center, epoch: number): Promise<void> {
  const { membership } = center
  const { relation } = await membership.member()
  if (epoch <= relation.max_epoch) return
  await membership.edit((now) => (now.max_epoch < epoch ? { ...now, max_epoch: epoch } : undefined))
  if (membership.mode !== 'primary') return
  await stepDown(center, false)
  center.held.end()
}
