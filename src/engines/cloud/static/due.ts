/**
 * Static roles whose time has come.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { DueEffect, Prepared } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { userNamed } from '../keys/ask.ts'
import type { StaticWork } from '../keys/work.ts'
import { STATIC_ROLE, type StaticRole } from '../records.ts'
import { failed, KEEP_KEYS, reschedule } from './keep.ts'
import { newKey } from './new-key.ts'

/** How long a rotation waits for other work on the keys of its user. */
const WAIT_MS = 10_000

export const DUE_ROTATION: DueEffect<StaticWork, undefined> = {
  effect: KEEP_KEYS,
  prepare(tx: Tx, name: string): Prepared<StaticWork, undefined> | undefined {
    const role = tx.get(STATIC_ROLE, name)
    if (!role) return undefined
    if (tx.now < role.next) {
      // Set back since it was found due, the clock says otherwise: its entry, which goes with this run, is needed again.
      tx.due('credential', name, { to: role.next })
      return undefined
    }
    try {
      return newKey(tx, adopted(tx, role), { does: 'rotate', name })
    } catch (thrown) {
      if (!(thrown instanceof KernelError)) throw thrown
      if (thrown.code === 'ERR_UNAVAILABLE') reschedule(tx, name, role, tx.now + WAIT_MS)
      else failed(tx, name, thrown)
      return undefined
    }
  },
}

function adopted(tx: Tx, { username, id }: StaticRole): { readonly name: string; readonly id: string } {
  const user = userNamed(tx, username)
  if (user.id !== id) throw invalid('username: the user was made anew under its name, and is not the one that was adopted')
  return user
}
