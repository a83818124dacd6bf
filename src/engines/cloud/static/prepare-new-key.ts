/**
 * Prepares a new key for the user of a static role.
 */
import type { Prepared } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { isRootRotationRunning, type KeyOwner, keysBusy, pendingStaticKey, type StaticKeyIntent } from '../keys/key-intents.ts'
import { userKeys } from '../keys/user-keys.ts'
import { rescheduleIfOverdue } from './change-static-key.ts'
import { planKeyDeletion } from './plan-key-deletion.ts'

export type NewKeyRequest = Pick<StaticKeyIntent, 'name' | 'rotation_period'> & { readonly action: 'create' | 'rotate' }

/** @throws KernelError 503 while the user's keys are being changed; 400 where there is no room; 502 */
export function prepareNewKey(tx: Tx, user: KeyOwner, wish: NewKeyRequest): Prepared<StaticKeyIntent, undefined> {
  const leftover = pendingStaticKey(tx, user.id)
  if (leftover?.state === 'running' || leftover?.work.action === 'delete' || isRootRotationRunning(tx, user.id)) throw keysBusy()
  const room = planKeyDeletion(tx, wish.name, user, userKeys(tx, user), leftover)
  // What this takes the place of would have seen to it.
  if (leftover?.work.action === 'rotate' && leftover.work.name !== wish.name) rescheduleIfOverdue(tx, leftover.work.name)
  return { id: user.id, intent: { ...wish, user, ...room }, carried: undefined, leftover: 'replace' }
}
