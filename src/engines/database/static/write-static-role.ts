import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { mergeCredential } from '../credential/index.ts'
import { connectionAndPluginForRole } from '../find-connection.ts'
import { DATABASE_ROLE, DATABASE_STATIC_ROLE, type DatabaseStaticRole } from '../records.ts'
import { mergeRotation } from '../rotation/rotation.ts'
import { CREDENTIAL_FIELDS } from '../secret/fields.ts'
import { statements } from '../statement-fields.ts'
import { prepareRotation, ROTATE_STATIC_ROLE } from './rotate.ts'

/**
 * @throws KernelError 400 if a new role has no `username` or no `db_name`, if a new role has neither `rotation_period` nor
 *   `rotation_schedule`, if `rotation_period` and `rotation_schedule` are both given, if `username` differs from the user of the existing
 *   role, if a dynamic role has the same name, if the connection of the role does not exist, if `rotation_period` is below 5 seconds, if
 *   `rotation_window` is below an hour, or if `rotation_schedule` is invalid.
 * @throws KernelError 403 if the connection does not allow the role.
 * @throws KernelError 502 if the database refuses the call, if the database cannot be reached, or if the database does not answer in time.
 *   If the database refused the call, nothing is stored.
 * @throws KernelError 503 if an earlier change of the credential of the role is in progress, or if it is not known yet whether an earlier
 *   change of the credential of the role took effect.
 */
export const writeStaticRole = effectOperation({
  verb: 'POST',
  path: '/static-roles/:name',
  forwardable: true,
  summary:
    'Creates a static role for an existing database user, or changes the given parameters of an existing static role. In both cases, the credential of the user is rotated immediately, unless `skip_import_rotation` is true.',
  fields: {
    name: f.name('The name of the role.'),
    username: f.text('The name of an existing database user. Required for a new role; it cannot be changed later.').optional(),
    db_name: f.text('The name of the connection. Required for a new role.').optional(),
    rotation_period: f.duration('Seconds between rotations, at least 5.').optional(),
    rotation_schedule: f
      .text('The times of rotations as a cron schedule of five fields in UTC, instead of `rotation_period`.')
      .optional(),
    rotation_window: f
      .duration(
        'The number of seconds after a scheduled time within which the rotation must begin, at least 3,600. Default: the rotation can begin at any later time.',
      )
      .optional(),
    rotation_statements: statements('Statements that set the credential. Default: the plugin’s statements.').optional(),
    first_rotation_after: f
      .duration(
        'Seconds until the next rotation. Later rotations follow the period or schedule. For example, two roles with equal periods rotate alternately if this parameter is half a period for one of them.',
      )
      .optional(),
    skip_import_rotation: f
      .bool(
        'Whether to keep the current password of the user, which must be given as `password`, instead of rotating it immediately. The password is checked by a login.',
      )
      .default(false),
    password: f.text('The current password of the user. Only with `skip_import_rotation`.').optional(),
    ...CREDENTIAL_FIELDS,
  },
  returns: {},
  exists: (tx, { name = '' }) => tx.get(DATABASE_STATIC_ROLE, name) !== undefined,
  effect: ROTATE_STATIC_ROLE,
  prepare: (tx, input) => {
    const { name, first_rotation_after: first, skip_import_rotation: adopts, password } = input
    if (tx.get(DATABASE_ROLE, name))
      throw alreadyExists('name: a dynamic role has this name; a dynamic and a static role must not have the same name')
    const old = tx.get(DATABASE_STATIC_ROLE, name)
    const db_name = input.db_name ?? old?.db_name ?? ''
    if (db_name === '') throw invalid('db_name: is required')
    const username = input.username ?? old?.username ?? ''
    if (username === '') throw invalid('username: is required')
    if (old && username !== old.username) throw invalid('username: the user of a static role cannot be changed')
    const rotation = mergeRotation(old?.rotation, input)
    const credential = mergeCredential(tx.env, old?.credential, input, tx.now)
    const { credential_type } = credential
    if (credential_type === 'client_certificate') throw invalid('credential_type: static roles do not support client_certificate')
    const role: DatabaseStaticRole = {
      username,
      db_name,
      rotation,
      rotation_statements: input.rotation_statements ?? old?.rotation_statements ?? [],
      credential,
      last: 0,
      next: 0,
      failures: 0,
      version: 0,
    }
    const asked = { written: role, ...(first === undefined ? {} : { first }) }
    if (!adopts) {
      if (password !== undefined) throw invalid('password: may only be given with skip_import_rotation')
      const { intent, ...prepared } = prepareRotation(tx, name, role)
      return { ...prepared, intent: { ...intent, ...asked }, onExistingIntent: 'replace' }
    }
    if (credential_type !== 'password') throw invalid('skip_import_rotation: requires credential_type password')
    if (!password) throw invalid('password: is required with skip_import_rotation')
    connectionAndPluginForRole(tx, name, db_name, credential_type)
    const known = { type: 'password', password } as const
    const statements = role.rotation_statements
    const intent = { name, username, db_name, statements, credential: known, shown: { password }, adopts, ...asked }
    return { id: name, intent, transient: undefined, onExistingIntent: 'replace' }
  },
})
