import { f } from '../../../core/field/fields.ts'
import { deleteByName, listNames, readByName, shownTexts } from '../../credentials/named-records.ts'
import { DATABASE_ROLE } from '../records.ts'
import { SHOWN_CREDENTIAL, shownCredential } from '../secret/shown.ts'

const ROLE_NAME = f.name('The name of the role.')

/** @throws KernelError 404 if the role does not exist. */
export const readRole = readByName({
  path: '/roles/:name',
  summary: 'Reads a role.',
  records: DATABASE_ROLE,
  name: ROLE_NAME,
  returns: {
    db_name: f.text('The name of the role’s connection.'),
    creation_statements: shownTexts('Statements that create a user.'),
    revocation_statements: shownTexts('Statements that drop a user; empty if the plugin’s statements are used.'),
    rollback_statements: shownTexts('Statements that undo a creation that failed.'),
    renew_statements: shownTexts('Statements that extend a user’s expiration; empty if the plugin’s statements are used.'),
    default_ttl: f.int('The lifetime of a user’s lease in seconds; 0 means the default of the mount.'),
    max_ttl: f.int('The maximum lifetime of a user’s lease in seconds, including renewals; 0 means the maximum of the mount.'),
    ...SHOWN_CREDENTIAL,
  },
  shown: ({ credential, ...role }) => ({ ...role, ...shownCredential(credential) }),
})

/** @throws no errors of its own. */
export const listRoles = listNames('/roles', 'roles', DATABASE_ROLE)

/** @throws no errors of its own. */
export const deleteRole = deleteByName({
  path: '/roles/:name',
  summary: 'Deletes a role. Users of the role are kept until their leases end. These leases can no longer be renewed.',
  records: DATABASE_ROLE,
  name: ROLE_NAME,
  event: 'role.deleted',
})
