import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { DueEffect, PreparedEffect } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { StaticKeyIntent } from '../keys/key-intents.ts'
import { requireUser } from '../keys/user-keys.ts'
import { CLOUD_STATIC_ROLE, type CloudStaticRole } from '../records.ts'
import { CHANGE_STATIC_KEY, reschedule, rotationFailed } from './change-static-key.ts'
import { prepareNewKey } from './prepare-new-key.ts'

/** How long to postpone a rotation while another change of the user's keys is in progress, in milliseconds. */
const WAIT_MS = 10_000

export const CLOUD_DUE_ROTATION: DueEffect<StaticKeyIntent, undefined> = {
  effect: CHANGE_STATIC_KEY,
  prepare(tx: Tx, name: string): PreparedEffect<StaticKeyIntent, undefined> | undefined {
    const role = tx.get(CLOUD_STATIC_ROLE, name)
    if (!role) return undefined
    if (tx.now < role.next) {
      // The clock was set back, so the rotation is not due yet. The commit removes the scheduled rotation, so schedule it again.
      tx.due('credential', name, { to: role.next })
      return undefined
    }
    try {
      return prepareNewKey(tx, adopted(tx, role), { action: 'rotate', name })
    } catch (thrown) {
      if (!(thrown instanceof KernelError)) throw thrown
      if (thrown.code === 'ERR_UNAVAILABLE') reschedule(tx, name, role, tx.now + WAIT_MS)
      else rotationFailed(tx, name, thrown)
      return undefined
    }
  },
}

function adopted(tx: Tx, { username, id }: CloudStaticRole): { readonly name: string; readonly id: string } {
  const user = requireUser(tx, username)
  if (user.id !== id)
    throw invalid(
      'username: the user was deleted and created again; delete the static role and create it again to adopt the new user',
    )
  return user
}
