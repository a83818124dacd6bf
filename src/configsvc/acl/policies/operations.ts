import { invalid } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { configOperation } from '../../operation.ts'
import { BUILT_IN_POLICIES, type BuiltInPolicy } from '../../rules/index.ts'
import { aclContentHashIn } from '../hash.ts'
import { listRecords } from '../list-records.ts'
import { claimName, deleteNamed, idOfName, type NamedKind, requireById } from '../named.ts'
import { ACL_POLICY, ACL_POLICY_NAME, type AclPolicyRecord, byId } from '../records.ts'
import { type AclObjectIdentity, newObjectIdentity, requestedNamespace, stampIndexes } from '../stamp.ts'
import { checkNoId, NEW_ID, SAME_ID } from '../uuid.ts'
import { listedPolicy, POLICY_BODY, POLICY_ECHOED_MEMBERS, POLICY_LISTED, POLICY_SHOWN, shownPolicy } from './fields.ts'
import { type PolicyContent, validatePolicy } from './validate-policy.ts'

const THING = 'Policy'

const POLICIES: NamedKind<AclPolicyRecord> = { thing: THING, table: 'policies', records: ACL_POLICY, names: ACL_POLICY_NAME }

const ABSENT = 'Requested policy does not exist: ACL not found'

const ID = f.text('The UUID of the policy.')

const builtIn = (id: string): BuiltInPolicy | undefined => BUILT_IN_POLICIES.find((policy) => policy.ID === id)

function putPolicy(
  tx: ConfigTx,
  lasting: AclObjectIdentity,
  { Name, Description, Rules, Datacenters }: PolicyContent,
): AclPolicyRecord {
  const Hash = aclContentHashIn(tx, [Name, Description, Rules, ...Datacenters])
  const policy: AclPolicyRecord = { Name, Description, Rules, Datacenters, Hash, ...stampIndexes(tx, 'policies', lasting) }
  tx.put(ACL_POLICY, byId(policy.Namespace, policy.ID), policy)
  return policy
}

const readPolicy = (tx: ConfigTx, namespace: string, id: string | undefined) => {
  const policy = id === undefined ? undefined : tx.get(ACL_POLICY, byId(namespace, id))
  return policy && shownPolicy(policy)
}

export const aclPolicyOperations = {
  create: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/policy',
    summary: 'Creates a policy.',
    thing: THING,
    permission: 'acl:write',
    fields: {},
    body: { ...POLICY_BODY, ID: NEW_ID },
    repeats: POLICY_ECHOED_MEMBERS,
    answers: POLICY_SHOWN,
    check: (input) => checkNoId(input, THING),
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      validatePolicy(tx, input)
      const made = newObjectIdentity(tx, namespace, input)
      claimName(tx, POLICIES, made, input.Name)
      return shownPolicy(putPolicy(tx, made, input))
    },
  }),

  read: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/policy/:ID',
    summary: 'Reads a policy.',
    thing: THING,
    permission: 'acl:read',
    table: 'policies',
    notFoundMessage: ABSENT,
    fields: { ID },
    answers: POLICY_SHOWN,
    run: (tx, input) => readPolicy(tx, requestedNamespace(tx, input), input.ID),
  }),

  readByName: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/policy/name/+Name',
    summary: 'Reads a policy by its name, regardless of case.',
    thing: THING,
    permission: 'acl:read',
    table: 'policies',
    notFoundMessage: ABSENT,
    fields: { Name: f.text('The name of the policy.') },
    answers: POLICY_SHOWN,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      return readPolicy(tx, namespace, idOfName(tx, ACL_POLICY_NAME, namespace, input.Name))
    },
  }),

  update: configOperation({
    kind: 'write',
    verb: 'PUT',
    path: '/acl/policy/:ID',
    summary: 'Replaces a policy. The rules and datacenters of a built-in policy cannot be changed.',
    thing: THING,
    permission: 'acl:write',
    fields: { ID },
    body: { ...POLICY_BODY, ID: SAME_ID },
    repeats: POLICY_ECHOED_MEMBERS,
    answers: POLICY_SHOWN,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      const known = requireById(tx, POLICIES, namespace, input.ID)
      const fixed = builtIn(input.ID)
      if (fixed) checkBuiltIn(known, input)
      validatePolicy(tx, input, input.Name === fixed?.Name)
      claimName(tx, POLICIES, known, input.Name, known.Name)
      return shownPolicy(putPolicy(tx, known, input))
    },
  }),

  delete: configOperation({
    kind: 'write',
    verb: 'DELETE',
    path: '/acl/policy/:ID',
    summary: 'Deletes a policy. Links to it remain and grant nothing.',
    thing: THING,
    permission: 'acl:write',
    fields: { ID },
    answers: f.bool('Whether the policy existed.'),
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      if (builtIn(input.ID)) throw invalid('Invalid Policy: a built-in policy cannot be deleted')
      return deleteNamed(tx, POLICIES, namespace, input.ID)
    },
  }),

  list: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/policies',
    summary: 'Lists policies without their rules.',
    thing: THING,
    permission: 'acl:read',
    table: 'policies',
    lists: true,
    fields: {},
    answers: POLICY_LISTED,
    run: (tx, input) =>
      listRecords(tx, {
        kind: ACL_POLICY,
        namespace: requestedNamespace(tx, input, true),
        sortKey: ({ Name }) => Name.toLowerCase(),
        show: listedPolicy,
      }),
  }),
}

/** @throws KernelError 400 */
function checkBuiltIn(known: AclPolicyRecord, { Rules, Datacenters }: PolicyContent): void {
  if (Rules !== known.Rules) throw invalid('Invalid Policy: the Rules of a built-in policy cannot be changed')
  if (Datacenters.length > 0) throw invalid('Invalid Policy: the Datacenters of a built-in policy cannot be changed')
}
