import { KernelError } from '../../../core/base/errors.ts'
import { type DueEffect, INTENT, intentId, type PreparedEffect } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { DATABASE_STATIC_ROLE } from '../records.ts'
import { nextRotation, rotationTiming } from '../rotation/rotation.ts'
import { emitRotationFailed, postpone, prepareRotation, ROTATE_STATIC_ROLE, type StaticRotationIntent } from './rotate.ts'

export const DATABASE_DUE_ROTATION: DueEffect<StaticRotationIntent, undefined> = {
  effect: ROTATE_STATIC_ROLE,
  prepare(tx: Tx, name: string): PreparedEffect<StaticRotationIntent, undefined> | undefined {
    const role = tx.get(DATABASE_STATIC_ROLE, name)
    if (!role) return undefined
    // If a rotation is already in progress, do nothing: when that rotation ends, it schedules the next one.
    if (tx.get(INTENT, intentId(ROTATE_STATIC_ROLE, name))) return undefined
    const { rotation, next } = role
    switch (role.failures > 0 ? 'due' : rotationTiming(rotation, next, tx.now)) {
      case 'early':
        // The clock was set back, so the rotation is not due yet. The commit removes the scheduled rotation, so schedule it again.
        tx.due('credential', name, { to: next })
        return undefined
      case 'missed': {
        const following = nextRotation(rotation, tx.now)
        tx.put(DATABASE_STATIC_ROLE, name, { ...role, next: following })
        tx.due('credential', name, { to: following })
        return undefined
      }
      case 'due':
        try {
          return prepareRotation(tx, name, role)
        } catch (thrown) {
          if (!(thrown instanceof KernelError)) throw thrown
          emitRotationFailed(tx, name, thrown)
          postpone(tx, name, thrown)
          return undefined
        }
    }
  },
}
