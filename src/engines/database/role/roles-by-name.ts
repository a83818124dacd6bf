/**
 * Reading, listing and deleting roles (spec document 1, "Read role", "List roles", "Delete role").
 */
import { PAGE_FIELDS, pageOf } from '../../../core/contract/list-page.ts'
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
  summary: 'Shows a role.',
  fields: NAME,
  returns: {
    db_name: f.text('The name of its connection.'),
    creation_statements: statements('What makes a user.'),
    revocation_statements: statements('What drops it; empty: the plugin’s.'),
    rollback_statements: statements('What takes back a creation that failed.'),
    renew_statements: statements('What moves its end; empty: the plugin’s.'),
    default_ttl: f.int('Seconds that a user lives; 0: as the mount says.'),
    max_ttl: f.int('Seconds beyond which nobody can renew it; 0: as the mount says.'),
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
  returns: { keys: f.json<readonly string[]>('Names.', STRING_LIST) },
  run: (tx, page) => ({ keys: tx.list(DATABASE_ROLE, pageOf(page)) }),
})

export const deleteRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/roles/:name',
  forwardable: true,
  summary: 'Deletes a role. Its users live on to the end of their leases, but are not renewed any more.',
  fields: NAME,
  returns: {},
  run: (tx, { name }) => {
    if (!tx.get(DATABASE_ROLE, name)) return undefined
    tx.delete(DATABASE_ROLE, name)
    tx.event('role.deleted', { name })
    return undefined
  },
})
