import type { PreparedEffect } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { isRootRotationRunning, type KeyOwner, keysBusy, pendingStaticKey, type StaticKeyIntent } from '../keys/key-intents.ts'
import { userKeys } from '../keys/user-keys.ts'
import { rescheduleIfOverdue } from './change-static-key.ts'
import { planKeyDeletion } from './plan-key-deletion.ts'

export type NewKeyRequest = Pick<StaticKeyIntent, 'name' | 'rotation_period'> & { readonly action: 'create' | 'rotate' }

/**
 * Prepares a new key for the user of a static role.
 * @throws KernelError 400 if the user cannot have another key, 503 if another change of the user's keys is unfinished, 502 if the cloud
 * refuses the call or fails.
 */
export function prepareNewKey(tx: Tx, user: KeyOwner, request: NewKeyRequest): PreparedEffect<StaticKeyIntent, undefined> {
  const pending = pendingStaticKey(tx, user.id)
  if (pending?.state === 'running' || pending?.work.action === 'delete' || isRootRotationRunning(tx, user.id)) throw keysBusy()
  const plan = planKeyDeletion(tx, request.name, user, userKeys(tx, user), pending)
  // The new intent replaces the intent of another role's unfinished rotation, so schedule that rotation again.
  if (pending?.work.action === 'rotate' && pending.work.name !== request.name) rescheduleIfOverdue(tx, pending.work.name)
  return { id: user.id, intent: { ...request, user, ...plan }, transient: undefined, onExistingIntent: 'replace' }
}
