import { invalid } from '../../../core/base/errors.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { keysBusy } from '../keys/key-intents.ts'
import { requireUser } from '../keys/user-keys.ts'
import { CLOUD_STATIC_ROLE, CLOUD_STATIC_ROLES } from '../records.ts'
import { assertStaticNameLength, roleName } from '../role/role-name.ts'
import { CHANGE_STATIC_KEY } from './change-static-key.ts'
import { prepareNewKey } from './prepare-new-key.ts'
import { SHOWN_ROLE, shownRole } from './shown.ts'

const MIN_PERIOD_SECONDS = 60
/** A hundred years. With much longer periods, the next rotation would not be a valid date. */
const MAX_PERIOD_SECONDS = 3_155_760_000

/**
 * @throws KernelError 400 if a new role has no `username` or no `rotation_period`, if `rotation_period` is below 60 seconds, if the cloud
 *   has no IAM user with the name `username`, if the role exists and has another user than `username`, if the IAM user `username` already
 *   has two access keys that static roles or the root configuration use, if a concurrent request creates or deletes the role, or if the
 *   root configuration of the mount does not exist. A user that was deleted and created again counts as another user.
 * @throws KernelError 502 if the cloud refuses or throttles the call, if the call fails in the cloud, or if the cloud does not answer in
 *   time. If no key was created for a new role, nothing is stored.
 * @throws KernelError 503 if another operation is changing the access keys of the IAM user of the role, or if it is not known yet whether
 *   an earlier change of the access keys of the IAM user of the role took effect.
 */
export const writeStaticRole = effectOperation({
  verb: 'POST',
  path: '/static-roles/:name',
  forwardable: true,
  summary:
    'Creates a static role for an existing IAM user, and a new access key of the user. For an existing static role, changes the rotation period.',
  fields: {
    name: roleName(),
    username: f
      .text(
        'The name of an existing IAM user. Required for a new role. It cannot be changed to another user later. If the user was renamed in IAM, give the new name to update the role.',
      )
      .optional(),
    rotation_period: f
      .duration(
        'Seconds between rotations, at least 60. Required for a new role. If given for an existing role, the next rotation is one period after the request.',
      )
      .optional(),
  },
  returns: SHOWN_ROLE,
  exists: (tx, { name = '' }) => tx.get(CLOUD_STATIC_ROLE, name) !== undefined,
  effect: CHANGE_STATIC_KEY,
  prepare: (tx, { name, username, rotation_period }) => {
    const old = tx.get(CLOUD_STATIC_ROLE, name)
    assertStaticNameLength(name)
    if (!old && username === undefined) throw invalid('username: is required')
    const user = username === undefined ? undefined : requireUser(tx, username)
    if (old && user && user.id !== old.id)
      throw invalid('username: must be the user of the static role; a user that was deleted and created again is another user')
    const period = rotation_period ?? old?.rotation_period
    if (period === undefined) throw invalid('rotation_period: is required')
    if (period < MIN_PERIOD_SECONDS) throw invalid(`rotation_period: must be at least ${MIN_PERIOD_SECONDS} seconds`)
    if (period > MAX_PERIOD_SECONDS) throw invalid(`rotation_period: must be at most ${MAX_PERIOD_SECONDS} seconds`)
    if (!old) return prepareNewKey(tx, user as NonNullable<typeof user>, { action: 'create', name, rotation_period: period })
    if (old.ending) throw keysBusy()
    const next = rotation_period === undefined ? old.next : tx.now + period * 1000
    const role = { ...old, username: user?.name ?? old.username, rotation_period: period }
    CLOUD_STATIC_ROLES.reschedule(tx, name, role, next)
    tx.event('role.written', { name })
    return { answer: shownRole(role, name) }
  },
})
