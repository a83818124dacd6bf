/**
 * Static roles whose time has come.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { type DueEffect, INTENT, intentId, type Prepared } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { STATIC_ROLE } from '../records.ts'
import { dueness, nextRotation } from '../rotation/rotation.ts'
import { type NewCredential, newValue, postpone, ROTATE, tellFailed } from './rotate.ts'

export const DUE_ROTATION: DueEffect<NewCredential, undefined> = {
  effect: ROTATE,
  prepare(tx: Tx, name: string): Prepared<NewCredential, undefined> | undefined {
    const role = tx.get(STATIC_ROLE, name)
    if (!role) return undefined
    // Its end, whatever it is, says when the role is due again.
    if (tx.get(INTENT, intentId(ROTATE, name))) return undefined
    const { rotation, next } = role
    switch (role.failures > 0 ? 'due' : dueness(rotation, next, tx.now)) {
      case 'early':
        // Set back since it was found due, the clock says otherwise: its entry, which goes with this run, is needed again.
        tx.due('credential', name, { to: next })
        return undefined
      case 'missed': {
        const following = nextRotation(rotation, tx.now)
        tx.put(STATIC_ROLE, name, { ...role, next: following })
        tx.due('credential', name, { to: following })
        return undefined
      }
      case 'due':
        try {
          return newValue(tx, name, role)
        } catch (thrown) {
          if (!(thrown instanceof KernelError)) throw thrown
          tellFailed(tx, name, thrown)
          postpone(tx, name, thrown)
          return undefined
        }
    }
  },
}
