/**
 * Prepares a new key for the user of a static role.
 */
import type { Prepared } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { keysOf } from '../keys/ask.ts'
import { busy, isRootAtWork, type StaticWork, staticWork, type User } from '../keys/work.ts'
import { resume } from './keep.ts'
import { makeRoom } from './room.ts'

export type NewKey = Pick<StaticWork, 'name' | 'rotation_period'> & { readonly does: 'create' | 'rotate' }

/** @throws KernelError 503 while the user's keys are being changed; 400 where there is no room; 502 */
export function newKey(tx: Tx, user: User, wish: NewKey): Prepared<StaticWork, undefined> {
  const leftover = staticWork(tx, user.id)
  if (leftover?.state === 'running' || leftover?.work.does === 'delete' || isRootAtWork(tx, user.id)) throw busy()
  const room = makeRoom(tx, wish.name, user, keysOf(tx, user), leftover)
  // What this takes the place of would have seen to it.
  if (leftover?.work.does === 'rotate' && leftover.work.name !== wish.name) resume(tx, leftover.work.name)
  return { id: user.id, intent: { ...wish, user, ...room }, carried: undefined, leftover: 'replace' }
}
