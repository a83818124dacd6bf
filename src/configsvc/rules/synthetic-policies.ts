/** The policies that result from identities and templated policies. */
import { toUtf8 } from '../../core/base/bytes.ts'
import { toHex } from '../../core/base/identifiers.ts'
import {
  NODE_TEMPLATE,
  readTemplateName,
  renderPolicyTemplate,
  SERVICE_TEMPLATE,
  type TemplateName,
  type TemplateVariables,
} from './templated-policies.ts'

/** A policy that is not stored. Policies with equal rules have equal IDs, even if they are valid in different datacenters. */
export interface SyntheticPolicy {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  /** The datacenters in which the policy is valid; everywhere if empty. */
  readonly Datacenters: readonly string[]
}

/**
 * IDs must equal those of Consul, which does not hash the rules: an ID consists of the text of the rules and this constant, the 128-bit
 * FNV-1a hash of no input.
 */
const FNV_BASIS = '6c62272e07bb014262b821756295c58d'

/** @param variables Must have been validated by `validateVariables`. */
export function synthesize(
  template: TemplateName,
  variables?: TemplateVariables,
  datacenters: readonly string[] = [],
): SyntheticPolicy {
  const Rules = renderPolicyTemplate(template, variables)
  const ID = `${toHex(toUtf8(Rules))}${FNV_BASIS}`
  const Description = `Created from the templated policy ${template}`
  return { ID, Name: `synthetic-policy-${ID}`, Description, Rules, Datacenters: datacenters }
}

/** The identities and templated policies of a token or role: all its grants except for links to policies and roles. */
export interface Identities {
  readonly ServiceIdentities?: readonly { readonly ServiceName: string; readonly Datacenters?: readonly string[] }[]
  readonly NodeIdentities?: readonly { readonly NodeName: string; readonly Datacenter: string }[]
  readonly TemplatedPolicies?: readonly {
    readonly TemplateName: string
    readonly TemplateVariables?: TemplateVariables
    readonly Datacenters?: readonly string[]
  }[]
}

/**
 * Returns the policies for all identities and templated policies, in this order. Service and node identities become `builtin/service` and
 * `builtin/node`.
 */
export function syntheticPolicies({
  ServiceIdentities = [],
  NodeIdentities = [],
  TemplatedPolicies = [],
}: Identities): readonly SyntheticPolicy[] {
  return [
    ...ServiceIdentities.map(({ ServiceName, Datacenters }) => synthesize(SERVICE_TEMPLATE, { name: ServiceName }, Datacenters)),
    ...NodeIdentities.map(({ NodeName, Datacenter }) => synthesize(NODE_TEMPLATE, { name: NodeName }, [Datacenter])),
    ...TemplatedPolicies.map(({ TemplateName, TemplateVariables, Datacenters }) =>
      synthesize(readTemplateName(TemplateName), TemplateVariables, Datacenters),
    ),
  ]
}

/** Whether a stored or synthetic policy is valid in a datacenter. */
export const appliesIn = ({ Datacenters = [] }: { readonly Datacenters?: readonly string[] }, datacenter: string): boolean =>
  Datacenters.length === 0 || Datacenters.includes(datacenter)
