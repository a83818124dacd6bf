/**
 * The policies that identities and templated policies stand for.
 */
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

/** A policy that is stored nowhere. The same rules have the same ID, wherever they apply. */
export interface SyntheticPolicy {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  /** Where it applies; everywhere if empty. */
  readonly Datacenters: readonly string[]
}

/** The originals put this behind the text that they mean to hash: what FNV-1a of 128 bits begins with. */
const FNV_BASIS = '6c62272e07bb014262b821756295c58d'

/** @param variables judged by `judgeVariables`. */
export function synthesize(
  template: TemplateName,
  variables?: TemplateVariables,
  datacenters: readonly string[] = [],
): SyntheticPolicy {
  const Rules = renderPolicyTemplate(template, variables)
  const ID = `${toHex(toUtf8(Rules))}${FNV_BASIS}`
  const Description = `Made from the templated policy ${template}`
  return { ID, Name: `synthetic-policy-${ID}`, Description, Rules, Datacenters: datacenters }
}

/** What a token or a role holds beside links. */
export interface Identities {
  readonly ServiceIdentities?: readonly { readonly ServiceName: string; readonly Datacenters?: readonly string[] }[]
  readonly NodeIdentities?: readonly { readonly NodeName: string; readonly Datacenter: string }[]
  readonly TemplatedPolicies?: readonly {
    readonly TemplateName: string
    readonly TemplateVariables?: TemplateVariables
    readonly Datacenters?: readonly string[]
  }[]
}

/** The policies of all of them, in this order. A service and a node are what the templated policies of their kind are. */
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

/** Whether a policy, stored or synthetic, counts in a datacenter. */
export const appliesIn = ({ Datacenters = [] }: { readonly Datacenters?: readonly string[] }, datacenter: string): boolean =>
  Datacenters.length === 0 || Datacenters.includes(datacenter)
