import { invalid } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { KeyOwner } from '../keys/key-intents.ts'
import { requireUser } from '../keys/user-keys.ts'
import { CLOUD_STATIC_ROLE, CLOUD_STATIC_ROLES, type CloudStaticRole } from '../records.ts'
import { CHANGE_STATIC_KEY, rotationFailed } from './change-static-key.ts'
import { prepareNewKey } from './prepare-new-key.ts'

/** How long to postpone a rotation while another change of the user's keys is in progress, in milliseconds. */
const WAIT_MS = 10_000

export const CLOUD_DUE_ROTATION = /* @__PURE__ */ CLOUD_STATIC_ROLES.dueRotation({
  effect: CHANGE_STATIC_KEY,
  // If the clock was set back, the rotation is not due yet.
  prepare: (tx, name, role) =>
    tx.now < role.next ? role.next : prepareNewKey(tx, adoptedUser(tx, role), { action: 'rotate', name }),
  onRefusal(tx, name, refusal) {
    const role = tx.get(CLOUD_STATIC_ROLE, name)
    if (role && refusal.code === 'ERR_UNAVAILABLE') CLOUD_STATIC_ROLES.reschedule(tx, name, role, tx.now + WAIT_MS)
    else rotationFailed(tx, name, refusal)
  },
})

function adoptedUser(tx: Tx, { username, id }: CloudStaticRole): KeyOwner {
  const user = requireUser(tx, username)
  if (user.id !== id)
    throw invalid(
      'username: the user was deleted and created again; delete the static role and create it again to adopt the new user',
    )
  return user
}
