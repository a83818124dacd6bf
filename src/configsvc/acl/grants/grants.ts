import type { Steps } from '../../../core/base/steps.ts'
import type { Parsed } from '../../../core/field/field.ts'
import type { ConfigTx } from '../../call.ts'
import type { Grants } from '../records.ts'
import type { GRANT_FIELDS } from './fields.ts'
import { readNodeIdentities, readServiceIdentities } from './identities.ts'
import { checkLinks, POLICY_LINKS, resolveLinks, type ShownLink, showLinks } from './links.ts'
import { readTemplatedPolicies } from './templated.ts'

/** Grants as a request contains them. */
export type GrantsInput = Parsed<typeof GRANT_FIELDS>

/** Grants without policies, whose validation needs no records. */
type GrantsWithoutPolicies = Omit<Grants, 'Policies'>

/**
 * Validates the grants of a request and converts them to their stored form.
 * @throws KernelError 400 for the first error, in Consul's order: names of policies, service identities, node identities, templated
 * policies, and last the IDs of policies.
 */
export function readGrants(tx: ConfigTx, namespace: string, given: GrantsInput): Grants {
  const Policies = resolveLinks(tx, POLICY_LINKS, namespace, given.Policies)
  const contents = tx.steps('grants', () => readContents(given))
  checkLinks(tx, POLICY_LINKS, namespace, Policies)
  return { Policies, ...contents }
}

function* readContents(given: GrantsInput): Steps<GrantsWithoutPolicies> {
  const ServiceIdentities = yield* readServiceIdentities(given.ServiceIdentities)
  const NodeIdentities = yield* readNodeIdentities(given.NodeIdentities)
  return { ServiceIdentities, NodeIdentities, TemplatedPolicies: yield* readTemplatedPolicies(given.TemplatedPolicies) }
}

/** Grants as responses contain them: a member is absent if its list is empty. */
export type ShownGrants = { readonly Policies?: readonly ShownLink[] } & Partial<GrantsWithoutPolicies>

export function showGrants(tx: ConfigTx, namespace: string, grants: Grants): ShownGrants {
  const { TemplatedPolicies, ServiceIdentities, NodeIdentities } = grants
  return {
    ...unlessEmpty('Policies', showLinks(tx, POLICY_LINKS, namespace, grants.Policies)),
    ...unlessEmpty('TemplatedPolicies', TemplatedPolicies),
    ...unlessEmpty('ServiceIdentities', ServiceIdentities),
    ...unlessEmpty('NodeIdentities', NodeIdentities),
  }
}

/** A member of a response that is absent if its list is empty. */
export const unlessEmpty = <const K extends string, T>(name: K, list: readonly T[]): { readonly [N in K]?: readonly T[] } =>
  (list.length === 0 ? {} : { [name]: list }) as { readonly [N in K]?: readonly T[] }
