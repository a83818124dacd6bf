import { findIntent } from '../../credentials/intents.ts'
import { DATABASE_STATIC_ROLES } from '../records.ts'
import { nextRotation, rotationTiming } from '../rotation/rotation.ts'
import { prepareRotation, ROTATE_STATIC_ROLE, rotationFailed } from './rotate.ts'

export const DATABASE_DUE_ROTATION = /* @__PURE__ */ DATABASE_STATIC_ROLES.dueRotation({
  effect: ROTATE_STATIC_ROLE,
  prepare(tx, name, role) {
    // If a rotation is already in progress, do nothing: when that rotation ends, it schedules the next one.
    if (findIntent(tx, ROTATE_STATIC_ROLE, name)) return undefined
    const { rotation, next } = role
    const timing = role.failures > 0 ? 'due' : rotationTiming(rotation, next, tx.now)
    if (timing === 'due') return prepareRotation(tx, name, role)
    // A rotation is early if the clock was set back.
    return timing === 'early' ? next : nextRotation(rotation, tx.now)
  },
  onRefusal: rotationFailed,
})
