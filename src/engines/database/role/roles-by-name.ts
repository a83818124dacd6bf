import { PAGE_FIELDS, pageOptions } from '../../../core/contract/list-page.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { DATABASE_ROLE } from '../records.ts'
import { SHOWN_CREDENTIAL, shownCredential } from '../secret/shown.ts'

const NAME = { name: f.name('The name of the role.') }

const STRING_LIST = { type: 'array', items: { type: 'string' } }

const statements = (description: string) => f.json<readonly string[]>(description, STRING_LIST)

export const readRole = operation({
  kind: 'read',
  verb: 'GET',
  path: '/roles/:name',
  summary: 'Reads a role.',
  fields: NAME,
  returns: {
    db_name: f.text('The name of the role’s connection.'),
    creation_statements: statements('Statements that create a user.'),
    revocation_statements: statements('Statements that drop a user; empty if the plugin’s statements are used.'),
    rollback_statements: statements('Statements that undo a creation that failed.'),
    renew_statements: statements('Statements that extend a user’s expiration; empty if the plugin’s statements are used.'),
    default_ttl: f.int('The lifetime of a user’s lease in seconds; 0 means the default of the mount.'),
    max_ttl: f.int('The maximum lifetime of a user’s lease in seconds, including renewals; 0 means the maximum of the mount.'),
    ...SHOWN_CREDENTIAL,
  },
  run: (tx, { name }) => {
    const role = tx.get(DATABASE_ROLE, name)
    if (!role) return undefined
    const { credential, ...rest } = role
    return { ...rest, ...shownCredential(credential) }
  },
})

export const listRoles = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/roles',
  summary: 'Lists the names of all roles, in byte order.',
  fields: PAGE_FIELDS,
  returns: { keys: f.json<readonly string[]>('The names of the roles.', STRING_LIST) },
  run: (tx, page) => ({ keys: tx.list(DATABASE_ROLE, pageOptions(page)) }),
})

export const deleteRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/roles/:name',
  forwardable: true,
  summary: 'Deletes a role. Users of the role are kept until their leases end. These leases can no longer be renewed.',
  fields: NAME,
  returns: {},
  run: (tx, { name }) => {
    if (!tx.get(DATABASE_ROLE, name)) return undefined
    tx.delete(DATABASE_ROLE, name)
    tx.event('role.deleted', { name })
    return undefined
  },
})
