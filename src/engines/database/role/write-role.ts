import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { findIntent } from '../../credentials/intents.ts'
import { mergeGiven } from '../../credentials/merge-given.ts'
import { mergeCredential } from '../credential/index.ts'
import { DATABASE_ROLE, DATABASE_STATIC_ROLE, type DatabaseRole } from '../records.ts'
import { CREDENTIAL_FIELDS } from '../secret/fields.ts'
import { statements } from '../statement-fields.ts'
import { ROTATE_STATIC_ROLE } from '../static/rotate.ts'

const NEW_ROLE: DatabaseRole = {
  db_name: '',
  credential: { credential_type: 'password', credential_config: {} },
  creation_statements: [],
  revocation_statements: [],
  rollback_statements: [],
  renew_statements: [],
  default_ttl: 0,
  max_ttl: 0,
}

/**
 * @throws KernelError 400 if a new role has no `db_name` or no `creation_statements`, if a static role has the same name, or if
 *   `credential_config` is invalid.
 */
export const writeRole = operation({
  kind: 'write',
  verb: 'POST',
  path: '/roles/:name',
  forwardable: true,
  summary:
    'Creates a role for dynamic users, or changes the given parameters of an existing one. The connection and the password policy need not exist yet.',
  fields: {
    name: f.name('The name of the role.'),
    db_name: f.text('The name of the connection. Required for a new role.').optional(),
    creation_statements: statements(
      'Statements that create a user, with `{{name}}`, `{{password}}` and `{{expiration}}`. Required for a new role.',
    ).optional(),
    revocation_statements: statements('Statements that drop a user. Default: the plugin’s statements.').optional(),
    rollback_statements: statements(
      'Statements that undo a creation that failed, for databases without transactions.',
    ).optional(),
    renew_statements: statements('Statements that extend a user’s expiration. Default: the plugin’s statements.').optional(),
    default_ttl: f
      .duration('The lifetime of a user’s lease in seconds. Default: 0, which means the default of the mount.')
      .optional(),
    max_ttl: f
      .duration(
        'The maximum lifetime of a user’s lease in seconds, including renewals. Default: 0, which means the maximum of the mount.',
      )
      .optional(),
    ...CREDENTIAL_FIELDS,
  },
  returns: {},
  exists: (tx, { name = '' }) => tx.get(DATABASE_ROLE, name) !== undefined,
  run: (tx, input) => {
    const { name } = input
    if (tx.get(DATABASE_STATIC_ROLE, name) || findIntent(tx, ROTATE_STATIC_ROLE, name))
      throw alreadyExists('name: a static role has this name; a dynamic and a static role must not have the same name')
    const { credential, ...old } = tx.get(DATABASE_ROLE, name) ?? NEW_ROLE
    const role = mergeGiven(old, input)
    if (role.db_name === '') throw invalid('db_name: is required')
    if (role.creation_statements.length === 0) throw invalid('creation_statements: is required')
    tx.put(DATABASE_ROLE, name, {
      ...role,
      revocation_statements: role.revocation_statements.filter((text) => text !== ''),
      credential: mergeCredential(tx.env, credential, input, tx.now),
    })
    tx.event('role.written', { name })
    return undefined
  },
})
