import { invalid } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { BUILT_IN_POLICIES, type BuiltInPolicy, isPolicyName, readRules } from '../../rules/index.ts'
import { aclContentHashIn } from '../hash.ts'
import { claimName, deleteNamed, type NamedKind, requireById } from '../named.ts'
import { namedObjectOperations } from '../object-operations.ts'
import { ACL_POLICY, ACL_POLICY_NAME, type AclPolicyRecord, byId } from '../records.ts'
import { type AclObjectIdentity, newObjectIdentity, stampIndexes } from '../stamp.ts'
import { NEW_ID, SAME_ID } from '../uuid.ts'
import { listedPolicy, POLICY_BODY, POLICY_ECHOED_MEMBERS, POLICY_LISTED, POLICY_SHOWN, shownPolicy } from './fields.ts'

const POLICIES: NamedKind<AclPolicyRecord> = { thing: 'Policy', table: 'policies', records: ACL_POLICY, names: ACL_POLICY_NAME }

const builtIn = (id: string): BuiltInPolicy | undefined => BUILT_IN_POLICIES.find((policy) => policy.ID === id)

interface PolicyContent {
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  readonly Datacenters: readonly string[]
}

const DATACENTER = /^[A-Za-z0-9_-]{1,128}$/

/** @param named Whether the policy keeps the name of a built-in policy. Such a name is not validated. @throws KernelError 400 */
function validatePolicy(tx: ConfigTx, { Name, Rules, Datacenters }: PolicyContent, named = false): void {
  if (Name === '') throw invalid('Invalid Policy: no Name is set')
  if (!named && !isPolicyName(Name))
    throw invalid(
      'Invalid Policy: invalid Name: must be 1 to 128 letters, digits, "-" and "_", with at most one "/", which is not the first character',
    )
  for (const name of Datacenters)
    if (!DATACENTER.test(name)) throw invalid('Invalid Policy: Datacenters: names must consist of letters, digits, "-" and "_"')
  tx.steps('rules', () => readRules(Rules))
}

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

export const aclPolicyOperations = namedObjectOperations({
  ...POLICIES,
  noun: 'policy',
  path: '/acl/policy',
  listPath: '/acl/policies',
  namePath: '/acl/policy/name/+Name',
  key: { ID: f.text('The UUID of the policy.') },
  createBody: { ...POLICY_BODY, ID: NEW_ID },
  updateBody: { ...POLICY_BODY, ID: SAME_ID },
  repeats: POLICY_ECHOED_MEMBERS,
  listParameters: {},
  shown: POLICY_SHOWN,
  listed: POLICY_LISTED,
  summaries: {
    /**
     * @throws KernelError 400 if `Name` is missing or malformed, if another policy has the same `Name`, if `Rules` cannot be parsed, if
     *   `Datacenters` contains an invalid name, or if `ID` is given.
     * @example
     * const { ID } = await kernel.configsvc.policies.create({
     *   Name: 'web',
     *   Rules: `service_prefix "web" { policy = "write" }`,
     * })
     */
    create: 'Creates a policy.',
    /** @throws KernelError 404 if the policy does not exist. */
    read: 'Reads a policy.',
    /** @throws KernelError 404 if the policy does not exist. */
    readByName: 'Reads a policy by its name, regardless of case.',
    /**
     * @throws KernelError 400 if the policy does not exist, if `Name` is missing or malformed, if another policy has the same `Name`, if
     *   `Rules` cannot be parsed, if `Datacenters` contains an invalid name, or if the update would change the `Rules` or the `Datacenters`
     *   of a built-in policy.
     */
    update: 'Replaces a policy. The rules and datacenters of a built-in policy cannot be changed.',
    /** @throws KernelError 400 if the policy is built in. */
    delete: 'Deletes a policy. Links to it remain and grant nothing.',
    /**
     * @throws no errors of its own.
     * @example
     * for await (const policies of kernel.configsvc.policies.watch('list')) {
     *   if (policies.some(({ Name }) => Name === 'web')) break
     * }
     */
    list: 'Lists policies without their rules.',
  },
  find: (tx, namespace, id) => tx.get(ACL_POLICY, byId(namespace, id)),
  create(tx, namespace, input) {
    validatePolicy(tx, input)
    const made = newObjectIdentity(tx, namespace, input)
    claimName(tx, POLICIES, made, input.Name)
    return putPolicy(tx, made, input)
  },
  update(tx, namespace, input) {
    const known = requireById(tx, POLICIES, namespace, input.ID)
    const fixed = builtIn(input.ID)
    if (fixed) checkBuiltIn(known, input)
    validatePolicy(tx, input, input.Name === fixed?.Name)
    claimName(tx, POLICIES, known, input.Name, known.Name)
    return putPolicy(tx, known, input)
  },
  delete(tx, namespace, id) {
    if (builtIn(id)) throw invalid('Invalid Policy: a built-in policy cannot be deleted')
    return deleteNamed(tx, POLICIES, namespace, id)
  },
  show: shownPolicy,
  showListed: listedPolicy,
  sortKey: ({ Name }) => Name.toLowerCase(),
})

/** @throws KernelError 400 */
function checkBuiltIn(known: AclPolicyRecord, { Rules, Datacenters }: PolicyContent): void {
  if (Rules !== known.Rules) throw invalid('Invalid Policy: the Rules of a built-in policy cannot be changed')
  if (Datacenters.length > 0) throw invalid('Invalid Policy: the Datacenters of a built-in policy cannot be changed')
}
