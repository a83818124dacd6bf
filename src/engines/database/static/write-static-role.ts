/**
 * POST static-roles/:name (spec document 1, "Create static role").
 */
import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { mergeCredential } from '../credential/index.ts'
import { DATABASE_ROLE, DATABASE_STATIC_ROLE, type DatabaseStaticRole } from '../records.ts'
import { connectionAndPluginForRole } from '../role-connection.ts'
import { mergeRotation } from '../rotation/rotation.ts'
import { CREDENTIAL_FIELDS } from '../secret/fields.ts'
import { statements } from '../statement-fields.ts'
import { prepareRotation, ROTATE_STATIC_ROLE } from './rotate.ts'

export const writeStaticRole = effectOperation({
  verb: 'POST',
  path: '/static-roles/:name',
  forwardable: true,
  summary:
    'Takes a user of the database into care, or changes what is named of a role, and gives the user a new credential at once.',
  fields: {
    name: f.name('The name of the role.'),
    username: f.text('The user, which is there already. Needed for a new role; never changes.').optional(),
    db_name: f.text('The name of the connection. Needed for a new role.').optional(),
    rotation_period: f.duration('Seconds from one new credential to the next, at least 5.').optional(),
    rotation_schedule: f.text('When there is a new one: five fields of cron, in UTC. Instead of a period.').optional(),
    rotation_window: f.duration('Seconds behind a time of the schedule in which it is still done, at least 3,600.').optional(),
    rotation_statements: statements('Statements that set the credential. Default: the plugin’s.').optional(),
    first_rotation_after: f
      .duration('Seconds to the next rotation, where it is to be sooner or later this once: so that two users take turns.')
      .optional(),
    skip_import_rotation: f.bool('The user keeps the password that is given, which is tried by a login.').default(false),
    password: f.text('What the user logs in with now. Only with skip_import_rotation.').optional(),
    ...CREDENTIAL_FIELDS,
  },
  returns: {},
  exists: (tx, { name = '' }) => tx.get(DATABASE_STATIC_ROLE, name) !== undefined,
  effect: ROTATE_STATIC_ROLE,
  prepare: (tx, input) => {
    const { name, first_rotation_after: first, skip_import_rotation: adopts, password } = input
    if (tx.get(DATABASE_ROLE, name)) throw alreadyExists('name: a role has it; roles and static roles share their names')
    const old = tx.get(DATABASE_STATIC_ROLE, name)
    const db_name = input.db_name ?? old?.db_name ?? ''
    if (db_name === '') throw invalid('db_name: is required')
    const username = input.username ?? old?.username ?? ''
    if (username === '') throw invalid('username: is required')
    if (old && username !== old.username) throw invalid('username: a static role never changes its user')
    const rotation = mergeRotation(old?.rotation, input)
    const credential = mergeCredential(tx.env, old?.credential, input, tx.now)
    const { credential_type } = credential
    if (credential_type === 'client_certificate') throw invalid('credential_type: static roles have no client_certificate')
    const role: DatabaseStaticRole = {
      username,
      db_name,
      rotation,
      rotation_statements: input.rotation_statements ?? old?.rotation_statements ?? [],
      credential,
      last: 0,
      next: 0,
      failures: 0,
    }
    const asked = { written: role, ...(first === undefined ? {} : { first }) }
    if (!adopts) {
      if (password !== undefined) throw invalid('password: goes with skip_import_rotation only')
      const { intent, ...prepared } = prepareRotation(tx, name, role)
      return { ...prepared, intent: { ...intent, ...asked }, leftover: 'replace' }
    }
    if (credential_type !== 'password') throw invalid('skip_import_rotation: is for passwords only')
    if (!password) throw invalid('password: is required with skip_import_rotation')
    connectionAndPluginForRole(tx, name, db_name, credential_type)
    const known = { type: 'password', password } as const
    const statements = role.rotation_statements
    const intent = { name, username, db_name, statements, credential: known, shown: { password }, adopts, ...asked }
    return { id: name, intent, carried: undefined, leftover: 'replace' }
  },
})
