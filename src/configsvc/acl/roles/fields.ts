import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { GRANT_FIELDS, GRANTS_SHOWN } from '../grants/fields.ts'
import { showGrants } from '../grants/grants.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { AclRoleRecord } from '../records.ts'

export const ROLE_BODY = {
  Name: f.strictText('Unique in its namespace regardless of case: 1 to 256 letters, digits, "-" and "_".').default(''),
  Description: f.strictText('A human-readable description.').default(''),
  ...GRANT_FIELDS,
  ...SCOPE_FIELDS,
}

/** Members of responses. Requests may contain them, because clients send back what they have read. */
export const ROLE_ECHOED_MEMBERS = [...ECHOED_MEMBERS, 'Hash']

const SHOWN = {
  ID: f.text('UUID.'),
  Name: f.text('The name, in upper and lower case as it was created.'),
  Description: f.text('A human-readable description.'),
  ...GRANTS_SHOWN,
  Hash: f.text('The hash of the content of the role, in base64.'),
  ...RECORD_META_FIELDS,
}

export const ROLE_SHOWN = f.record(SHOWN, 'A role.', { name: 'Role' })

export const ROLES_SHOWN = f.records(SHOWN, 'Roles, sorted by name.', { name: 'Role' })

export function shownAclRole(tx: ConfigTx, role: AclRoleRecord) {
  const { ID, Name, Description, Hash, CreateIndex, ModifyIndex, Namespace } = role
  return { ID, Name, Description, ...showGrants(tx, Namespace, role), Hash, CreateIndex, ModifyIndex, ...shownScope(role) }
}
