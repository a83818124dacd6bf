/**
 * POST static-roles/:name (spec document 1, "Create/Update static role").
 */
import { invalid } from '../../../core/base/errors.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { keysBusy } from '../keys/key-intents.ts'
import { requireUser } from '../keys/user-keys.ts'
import { CLOUD_STATIC_ROLE } from '../records.ts'
import { roleName } from '../role/role-name.ts'
import { assertNameLength } from './assert-name-length.ts'
import { CHANGE_STATIC_KEY } from './change-static-key.ts'
import { prepareNewKey } from './prepare-new-key.ts'
import { SHOWN_ROLE, shownRole } from './shown.ts'

/** Seconds. */
const MIN_PERIOD_SECONDS = 60
/** Seconds: a hundred years. Longer ones come to times that are no dates. */
const MAX_PERIOD_SECONDS = 3_155_760_000

export const writeStaticRole = effectOperation({
  verb: 'POST',
  path: '/static-roles/:name',
  forwardable: true,
  summary: 'Takes a user into care, and makes an access key for it, or changes how often the user of a role gets another one.',
  fields: {
    name: roleName(),
    username: f
      .text(
        'The user, which is there already. Needed for a new role; later it may be said again, or a new name of the same user.',
      )
      .optional(),
    rotation_period: f
      .duration('Seconds from one new key to the next, at least 60. Needed for a new role; another one counts from now.')
      .optional(),
  },
  returns: SHOWN_ROLE,
  exists: (tx, { name = '' }) => tx.get(CLOUD_STATIC_ROLE, name) !== undefined,
  effect: CHANGE_STATIC_KEY,
  prepare: (tx, { name, username, rotation_period }) => {
    const old = tx.get(CLOUD_STATIC_ROLE, name)
    assertNameLength(name)
    if (!old && username === undefined) throw invalid('username: is required')
    const user = username === undefined ? undefined : requireUser(tx, username)
    if (old && user && user.id !== old.id)
      throw invalid('username: is another user than the one that was adopted, or one made anew under its name')
    const period = rotation_period ?? old?.rotation_period
    if (period === undefined) throw invalid('rotation_period: is required')
    if (period < MIN_PERIOD_SECONDS) throw invalid(`rotation_period: must be ${MIN_PERIOD_SECONDS} seconds or more`)
    if (period > MAX_PERIOD_SECONDS) throw invalid(`rotation_period: must be ${MAX_PERIOD_SECONDS} seconds or less`)
    if (!old) return prepareNewKey(tx, user as NonNullable<typeof user>, { action: 'create', name, rotation_period: period })
    if (old.ending) throw keysBusy()
    const next = rotation_period === undefined ? old.next : tx.now + period * 1000
    const role = { ...old, username: user?.name ?? old.username, rotation_period: period, next }
    tx.put(CLOUD_STATIC_ROLE, name, role)
    tx.due('credential', name, { from: old.next, to: next })
    tx.event('role.written', { name })
    return { answer: shownRole(name, role) }
  },
})
