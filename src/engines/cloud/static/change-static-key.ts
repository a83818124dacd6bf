/**
 * The effect that creates, replaces and deletes the access keys of users with static roles, first in the cloud and then in the store. Only
 * one change per user is in progress at a time. Otherwise the change for one role could take the new key of another role for an orphaned
 * key and delete it.
 */
import { conflict, type KernelError } from '../../../core/base/errors.ts'
import { effect } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { EFFECT_TIMEOUT_MS } from '../cloud-calls.ts'
import { STATIC_KEY_EFFECT, type StaticKeyIntent } from '../keys/key-intents.ts'
import { setAdopted } from '../keys/recorded-keys.ts'
import type { NewCloudAccessKey } from '../port.ts'
import { CLOUD_STATIC_ROLE, CLOUD_STATIC_ROLES, type CloudStaticRole } from '../records.ts'
import { performKeyChange, recoverKeyChange } from './perform-key-change.ts'
import { type ShownRole, shownRole } from './shown.ts'

export const CHANGE_STATIC_KEY = /* @__PURE__ */ effect({
  ...STATIC_KEY_EFFECT,
  timeoutMs: EFFECT_TIMEOUT_MS,
  replicated: true,
  perform: performKeyChange,
  finish,
  recover: { perform: recoverKeyChange, finish: finishRecovery },
  onRefusal(tx, { action, name }: StaticKeyIntent, refusal, { mayBeApplied: doubtful }) {
    if (action === 'rotate') rotationFailed(tx, name, refusal)
    // The cloud refused the deletion, so keep the role and let reads return its key again.
    if (action === 'delete') setEnding(tx, name, false)
    return doubtful ? 'again' : undefined
  },
  onUnknownOutcome(tx, { action, name }: StaticKeyIntent, error) {
    if (action === 'rotate') rotationFailed(tx, name, error)
  },
})

function finish(tx: Tx, intent: StaticKeyIntent, made: NewCloudAccessKey | undefined): ShownRole | undefined {
  const { name, user, rotation_period } = intent
  const stored = tx.get(CLOUD_STATIC_ROLE, name)
  if (!made) {
    if (stored) deleteRoleRecords(tx, name, stored)
    return undefined
  }
  if (stored ? stored.id !== user.id || rotation_period !== undefined : rotation_period === undefined)
    throw conflict('name: the role was created or deleted by a concurrent request')
  const before = stored ?? { username: user.name, id: user.id, rotation_period: rotation_period ?? 0 }
  const role = { ...before, last: tx.now, next: tx.now + before.rotation_period * 1000, failures: 0 }
  const credential = { access_key: made.accessKeyId, secret_key: made.secretAccessKey }
  CLOUD_STATIC_ROLES.putRotated(tx, name, role, credential, { isWritten: !stored })
  if (!stored) setAdopted(tx, user.id, name, true)
  return shownRole(role, name)
}

function finishRecovery(tx: Tx, { action, name }: StaticKeyIntent): void {
  const role = tx.get(CLOUD_STATIC_ROLE, name)
  if (!role) return
  if (action === 'rotate') rescheduleIfOverdue(tx, name)
  if (action === 'delete' && role.ending) deleteRoleRecords(tx, name, role)
}

/**
 * Deletes the records of a role. Call it after the key of the role was deleted, or if the key must be kept because another role has the
 * same key.
 */
export function deleteRoleRecords(tx: Tx, name: string, role: CloudStaticRole): void {
  CLOUD_STATIC_ROLES.delete(tx, name, role)
  setAdopted(tx, role.id, name, false)
}

export function setEnding(tx: Tx, name: string, ends: boolean): void {
  const role = tx.get(CLOUD_STATIC_ROLE, name)
  if (!role) return
  const { ending: _, ...lasting } = role
  tx.put(CLOUD_STATIC_ROLE, name, ends ? { ...lasting, ending: true } : lasting)
}

/**
 * Schedules a rotation now if it is overdue. The scheduled work of a rotation is removed when the rotation begins, so an unfinished
 * rotation is not scheduled any more.
 */
export function rescheduleIfOverdue(tx: Tx, name: string): void {
  const role = tx.get(CLOUD_STATIC_ROLE, name)
  if (role && role.next <= tx.now) CLOUD_STATIC_ROLES.reschedule(tx, name, role, tx.now)
}

/** Reports a failed rotation and schedules the next attempt after the back-off, unless one is scheduled already. */
export function rotationFailed(tx: Tx, name: string, error: KernelError): void {
  CLOUD_STATIC_ROLES.emitRotationFailed(tx, name, error)
  const role = tx.get(CLOUD_STATIC_ROLE, name)
  if (role && role.next <= tx.now) CLOUD_STATIC_ROLES.postpone(tx, name, error)
}
