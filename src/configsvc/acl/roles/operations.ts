import { invalid } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import type { ConfigInput } from '../../operation.ts'
import { isRoleName } from '../../rules/index.ts'
import { readGrants } from '../grants/grants.ts'
import { aclContentHashIn, grantTexts } from '../hash.ts'
import { claimName, deleteNamed, type NamedKind, requireById } from '../named.ts'
import { namedObjectOperations } from '../object-operations.ts'
import { ACL_ROLE, ACL_ROLE_NAME, type AclRoleRecord, byId } from '../records.ts'
import { type AclObjectIdentity, newObjectIdentity, stampIndexes } from '../stamp.ts'
import { NEW_ID, SAME_ID } from '../uuid.ts'
import { ROLE_BODY, ROLE_ECHOED_MEMBERS, ROLE_SHOWN, ROLES_SHOWN, shownAclRole } from './fields.ts'

const ROLES: NamedKind<AclRoleRecord> = { thing: 'Role', table: 'roles', records: ACL_ROLE, names: ACL_ROLE_NAME }

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

export const aclRoleOperations = namedObjectOperations({
  ...ROLES,
  noun: 'role',
  path: '/acl/role',
  listPath: '/acl/roles',
  namePath: '/acl/role/name/:Name',
  key: { ID: f.text('The UUID of the role.') },
  createBody: { ...ROLE_BODY, ID: NEW_ID },
  updateBody: { ...ROLE_BODY, ID: SAME_ID },
  repeats: ROLE_ECHOED_MEMBERS,
  listParameters: {
    policy: f.text('The ID of a policy: lists only roles that link to it, even if the policy was deleted.').optional(),
  },
  shown: ROLE_SHOWN,
  listed: ROLES_SHOWN,
  summaries: {
    /**
     * @throws KernelError 400 if `Name` is missing or malformed, if another role has the same `Name`, if a linked object does not exist, if
     *   a service identity, a node identity or a templated policy is incomplete or has an invalid name, or if `ID` is given.
     * @example
     * const role = await kernel.configsvc.roles.create({
     *   Name: 'deployer',
     *   Policies: [{ Name: 'web' }],
     *   ServiceIdentities: [{ ServiceName: 'shop' }],
     * })
     */
    create: 'Creates a role.',
    /** @throws KernelError 404 if the role does not exist. */
    read: 'Reads a role. Its links contain the current names of the policies.',
    /** @throws KernelError 404 if the role does not exist. */
    readByName: 'Reads a role by its name, regardless of case.',
    /**
     * @throws KernelError 400 if the role does not exist, if `Name` is missing or malformed, if another role has the same `Name`, if a
     *   linked object does not exist, or if a service identity, a node identity or a templated policy is incomplete or has an invalid name.
     */
    update: 'Replaces a role. Members that the request omits are cleared.',
    /** @throws no errors of its own. */
    delete: 'Deletes a role. Links to it remain and grant nothing.',
    /** @throws no errors of its own. */
    list: 'Lists roles.',
  },
  find: (tx, namespace, id) => tx.get(ACL_ROLE, byId(namespace, id)),
  create(tx, namespace, input) {
    checkRoleName(input)
    return putRole(tx, newObjectIdentity(tx, namespace, input), input)
  },
  update(tx, namespace, input) {
    checkRoleName(input)
    const known = requireById(tx, ROLES, namespace, input.ID)
    return putRole(tx, known, input, known.Name)
  },
  delete: (tx, namespace, id) => deleteNamed(tx, ROLES, namespace, id),
  show: (role, tx) => shownAclRole(tx, role),
  showListed: (role, tx) => shownAclRole(tx, role),
  sortKey: ({ Name }) => Name.toLowerCase(),
  filter: (_, { policy }) => (policy ? ({ Policies }) => Policies.some((link) => link.ID === policy) : undefined),
})
