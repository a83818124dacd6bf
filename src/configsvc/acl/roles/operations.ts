import { invalid } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { type ConfigInput, configOperation } from '../../operation.ts'
import { isRoleName } from '../../rules/index.ts'
import { readGrants } from '../grants/grants.ts'
import { aclContentHashIn, grantTexts } from '../hash.ts'
import { listRecords } from '../list-records.ts'
import { claimName, deleteNamed, idOfName, type NamedKind, requireById } from '../named.ts'
import { ACL_ROLE, ACL_ROLE_NAME, type AclRoleRecord, byId } from '../records.ts'
import { type AclObjectIdentity, newObjectIdentity, requestedNamespace, stampIndexes } from '../stamp.ts'
import { checkNoId, NEW_ID, SAME_ID } from '../uuid.ts'
import { ROLE_BODY, ROLE_ECHOED_MEMBERS, ROLE_SHOWN, ROLES_SHOWN, shownAclRole } from './fields.ts'

const THING = 'Role'

const ROLES: NamedKind<AclRoleRecord> = { thing: THING, table: 'roles', records: ACL_ROLE, names: ACL_ROLE_NAME }

const ABSENT = 'Requested role does not exist: ACL not found'

const ID = f.text('The UUID of the role.')

type Content = ConfigInput<Record<never, never>, typeof ROLE_BODY>

/** @throws KernelError 400 */
function checkRoleName({ Name }: Content): void {
  if (Name === '') throw invalid('Invalid Role: no Name is set')
  if (!isRoleName(Name)) throw invalid('Invalid Role: invalid Name: must be 1 to 256 letters, digits, "-" and "_"')
}

/** @param former The former name of a role that is updated. @throws KernelError 400 */
function putRole(tx: ConfigTx, lasting: AclObjectIdentity, content: Content, former?: string): AclRoleRecord {
  const { ID: id, Namespace: namespace } = lasting
  const { Name, Description } = content
  claimName(tx, ROLES, lasting, Name, former)
  const grants = readGrants(tx, namespace, content)
  const Hash = aclContentHashIn(tx, [Name, Description, ...grantTexts(grants)])
  const role: AclRoleRecord = { Name, Description, ...grants, Hash, ...stampIndexes(tx, 'roles', lasting) }
  tx.put(ACL_ROLE, byId(namespace, id), role)
  return role
}

function readRole(tx: ConfigTx, namespace: string, id: string | undefined) {
  const role = id === undefined ? undefined : tx.get(ACL_ROLE, byId(namespace, id))
  return role && shownAclRole(tx, role)
}

export const aclRoleOperations = {
  create: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/role',
    summary: 'Creates a role.',
    thing: THING,
    permission: 'acl:write',
    fields: {},
    body: { ...ROLE_BODY, ID: NEW_ID },
    repeats: ROLE_ECHOED_MEMBERS,
    answers: ROLE_SHOWN,
    check: (input) => checkNoId(input, THING),
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      checkRoleName(input)
      return shownAclRole(tx, putRole(tx, newObjectIdentity(tx, namespace, input), input))
    },
  }),

  read: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/role/:ID',
    summary: 'Reads a role. Its links contain the current names of the policies.',
    thing: THING,
    permission: 'acl:read',
    table: 'roles',
    notFoundMessage: ABSENT,
    fields: { ID },
    answers: ROLE_SHOWN,
    run: (tx, input) => readRole(tx, requestedNamespace(tx, input), input.ID),
  }),

  readByName: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/role/name/:Name',
    summary: 'Reads a role by its name, regardless of case.',
    thing: THING,
    permission: 'acl:read',
    table: 'roles',
    notFoundMessage: ABSENT,
    fields: { Name: f.text('The name of the role.') },
    answers: ROLE_SHOWN,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      return readRole(tx, namespace, idOfName(tx, ACL_ROLE_NAME, namespace, input.Name))
    },
  }),

  update: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/role/:ID',
    summary: 'Replaces a role. Members that the request omits are cleared.',
    thing: THING,
    permission: 'acl:write',
    fields: { ID },
    body: { ...ROLE_BODY, ID: SAME_ID },
    repeats: ROLE_ECHOED_MEMBERS,
    answers: ROLE_SHOWN,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      checkRoleName(input)
      const known = requireById(tx, ROLES, namespace, input.ID)
      return shownAclRole(tx, putRole(tx, known, input, known.Name))
    },
  }),

  delete: configOperation({
    kind: 'write',
    verb: 'DELETE',
    path: '/acl/role/:ID',
    summary: 'Deletes a role. Links to it remain and grant nothing.',
    thing: THING,
    permission: 'acl:write',
    fields: { ID },
    answers: f.bool('Whether the role existed.'),
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      return deleteNamed(tx, ROLES, namespace, input.ID)
    },
  }),

  list: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/roles',
    summary: 'Lists roles.',
    thing: THING,
    permission: 'acl:read',
    table: 'roles',
    lists: true,
    fields: {
      policy: f.text('The ID of a policy: lists only roles that link to it, even if the policy was deleted.').optional(),
    },
    answers: ROLES_SHOWN,
    run: (tx, input) =>
      listRecords(tx, {
        kind: ACL_ROLE,
        namespace: requestedNamespace(tx, input, true),
        filter: input.policy ? ({ Policies }) => Policies.some((link) => link.ID === input.policy) : undefined,
        sortKey: ({ Name }) => Name.toLowerCase(),
        show: (role) => shownAclRole(tx, role),
      }),
  }),
}
