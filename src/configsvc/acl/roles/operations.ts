/**
 * `acl/role`: bundles of what tokens may do.
 */
import { invalid } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { type ConfigInput, configOperation } from '../../operation.ts'
import { isRoleName } from '../../rules/index.ts'
import { readGrants } from '../grants/grants.ts'
import { contentHashIn, grantTexts } from '../hash.ts'
import { listRecords } from '../list-records.ts'
import { deleteNamed, idOfName, knownById, type NamedKind, takeName } from '../named.ts'
import { byId, ROLE, ROLE_NAME, type RoleRecord } from '../records.ts'
import { type Lasting, newThing, requestedNamespace, stamped } from '../stamp.ts'
import { checkNoId, NEW_ID, SAME_ID } from '../uuid.ts'
import { ROLE_BODY, ROLE_REPEATED, ROLE_SHOWN, ROLES_SHOWN, shownRole } from './fields.ts'

const THING = 'Role'

const ROLES: NamedKind<RoleRecord> = { thing: THING, table: 'roles', records: ROLE, names: ROLE_NAME }

const ABSENT = 'Requested role does not exist: ACL not found'

const ID = f.text('The UUID of the role.')

type Content = ConfigInput<Record<never, never>, typeof ROLE_BODY>

/** @throws KernelError 400 */
function checkRoleName({ Name }: Content): void {
  if (Name === '') throw invalid('Invalid Role: no Name is set')
  if (!isRoleName(Name)) throw invalid('Invalid Role: invalid Name: 1 to 256 letters, digits, "-" and "_"')
}

/** @param former The name that it had. @throws KernelError 400 */
function keep(tx: ConfigTx, lasting: Lasting, content: Content, former?: string): RoleRecord {
  const { ID: id, Namespace: namespace } = lasting
  const { Name, Description } = content
  takeName(tx, ROLES, lasting, Name, former)
  const grants = readGrants(tx, namespace, content)
  const Hash = contentHashIn(tx, [Name, Description, ...grantTexts(grants)])
  const role: RoleRecord = { Name, Description, ...grants, Hash, ...stamped(tx, 'roles', lasting) }
  tx.put(ROLE, byId(namespace, id), role)
  return role
}

function read(tx: ConfigTx, namespace: string, id: string | undefined) {
  const role = id === undefined ? undefined : tx.get(ROLE, byId(namespace, id))
  return role && shownRole(tx, role)
}

export const roleOperations = {
  create: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/role',
    summary: 'Makes a role.',
    thing: THING,
    permission: 'acl:write',
    fields: {},
    body: { ...ROLE_BODY, ID: NEW_ID },
    repeats: ROLE_REPEATED,
    answers: ROLE_SHOWN,
    check: (input) => checkNoId(input, THING),
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      checkRoleName(input)
      return shownRole(tx, keep(tx, newThing(tx, namespace, input), input))
    },
  }),

  read: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/role/:ID',
    summary: 'Reads a role, its links with the names of now.',
    thing: THING,
    permission: 'acl:read',
    table: 'roles',
    absent: ABSENT,
    fields: { ID },
    answers: ROLE_SHOWN,
    run: (tx, input) => read(tx, requestedNamespace(tx, input), input.ID),
  }),

  readByName: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/role/name/:Name',
    summary: 'Reads a role by its name, in any case.',
    thing: THING,
    permission: 'acl:read',
    table: 'roles',
    absent: ABSENT,
    fields: { Name: f.text('The name of the role.') },
    answers: ROLE_SHOWN,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      return read(tx, namespace, idOfName(tx, ROLE_NAME, namespace, input.Name))
    },
  }),

  update: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/role/:ID',
    summary: 'Replaces a role: what the request leaves out is cleared.',
    thing: THING,
    permission: 'acl:write',
    fields: { ID },
    body: { ...ROLE_BODY, ID: SAME_ID },
    repeats: ROLE_REPEATED,
    answers: ROLE_SHOWN,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      checkRoleName(input)
      const known = knownById(tx, ROLES, namespace, input.ID)
      return shownRole(tx, keep(tx, known, input, known.Name))
    },
  }),

  delete: configOperation({
    kind: 'write',
    verb: 'DELETE',
    path: '/acl/role/:ID',
    summary: 'Deletes a role. Links to it grant nothing from then on.',
    thing: THING,
    permission: 'acl:write',
    fields: { ID },
    answers: f.bool('Whether there was such a role.'),
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
    fields: { policy: f.text('Only roles with a link to the policy of this ID, whether or not it is there.').optional() },
    answers: ROLES_SHOWN,
    run: (tx, input) =>
      listRecords(tx, {
        kind: ROLE,
        namespace: requestedNamespace(tx, input, true),
        wanted: input.policy ? ({ Policies }) => Policies.some((link) => link.ID === input.policy) : undefined,
        orderOf: ({ Name }) => Name.toLowerCase(),
        show: (role) => shownRole(tx, role),
      }),
  }),
}
