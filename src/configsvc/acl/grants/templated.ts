import { Pace, type Steps } from '../../../core/base/steps.ts'
import { readTemplateName, type TemplateVariables, templatedPolicy, validateVariables } from '../../rules/index.ts'
import type { TemplatedPolicyLink } from '../records.ts'

interface TemplatedPolicyInput {
  readonly TemplateName?: string
  readonly TemplateVariables?: TemplateVariables
  readonly Datacenters?: readonly string[]
}

/** The estimated cost of validating one link. */
const TEMPLATE_MICROSECONDS = 8

/**
 * Removes links with the same template and variables as an earlier link. The earlier link keeps its datacenters, and those of the
 * removed link are dropped.
 * @throws KernelError 400
 */
export function* readTemplatedPolicies(given: readonly TemplatedPolicyInput[]): Steps<readonly TemplatedPolicyLink[]> {
  const pace = new Pace()
  const links = new Map<string, TemplatedPolicyLink>()
  for (const { TemplateName = '', TemplateVariables, Datacenters = [] } of given) {
    const template = readTemplateName(TemplateName)
    validateVariables(template, TemplateVariables)
    const name = TemplateVariables?.name ?? ''
    // The name of a template contains no space, so the joined key is unambiguous.
    const key = `${template} ${name}`
    if (!links.has(key))
      links.set(key, {
        TemplateID: templatedPolicy(template).TemplateID,
        TemplateName,
        ...(name === '' ? {} : { TemplateVariables: { name } }),
        ...(Datacenters.length === 0 ? {} : { Datacenters }),
      })
    if (pace.spend(TEMPLATE_MICROSECONDS)) yield
  }
  return [...links.values()]
}
