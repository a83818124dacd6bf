/**
 * A binding rule grants a role, policy, service, node or template to the callers that it matches. The name of the granted object is
 * computed from the caller's identity.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { checkNameTemplate, interpolateName } from '../../interpolation/index.ts'
import {
  isIdentityName,
  isPolicyName,
  isRoleName,
  readTemplateName,
  type TemplateVariables,
  validateVariables,
} from '../../rules/index.ts'

/** The rule for computed names, for each BindType. */
const NAME_CHECKS = { service: isIdentityName, node: isIdentityName, role: isRoleName, policy: isRoleName }

const TEMPLATED = 'templated-policy'

type NamedType = keyof typeof NAME_CHECKS

export type BindType = NamedType | typeof TEMPLATED

export interface Bindable {
  readonly BindType: string
  readonly BindName: string
  readonly BindVars?: TemplateVariables | undefined
}

export interface RuleBinding {
  readonly type: BindType
  /** The name of a service, node, role, policy or template. */
  readonly name: string
  /** Present only if `type` is `templated-policy` and the rule has variables. */
  readonly variables?: TemplateVariables
}

/** @throws KernelError 400 */
export function readBindType(name: string): BindType {
  if (name === '') throw invalid('Invalid Binding Rule: no BindType is set')
  if (name !== TEMPLATED && !Object.hasOwn(NAME_CHECKS, name))
    throw invalid(`Invalid Binding Rule: unknown BindType: must be one of ${[...Object.keys(NAME_CHECKS), TEMPLATED].join(', ')}`)
  return name as BindType
}

/** @throws KernelError 400 if the computed name is invalid. */
export const computeBinding = (rule: Bindable, variables: Readonly<Record<string, string>>): RuleBinding =>
  bindingOf(rule, (template) => interpolateName(template, variables), NAME_CHECKS)

/**
 * Refuses rules that can never compute a valid name. As in Consul, a rule is accepted if the name of its policy contains a slash, although
 * {@link computeBinding} refuses that name at a login.
 * @param variables The names of the variables that logins of the method provide.
 * @throws KernelError 400
 */
export function checkBinding(rule: Bindable, variables: readonly string[]): void {
  const type = readBindType(rule.BindType)
  if (rule.BindName === '') throw invalid('Invalid Binding Rule: no BindName is set')
  if (rule.BindVars?.name && type !== TEMPLATED)
    throw invalid(`Invalid Binding Rule: BindVars: only rules of BindType ${TEMPLATED} may have them`)
  bindingOf(rule, (template) => checkNameTemplate(template, variables), { ...NAME_CHECKS, policy: isPolicyName })
}

type Compute = (template: string) => string

function bindingOf(rule: Bindable, compute: Compute, names: Readonly<Record<NamedType, (name: string) => boolean>>): RuleBinding {
  const type = readBindType(rule.BindType)
  if (type === TEMPLATED) return templateOf(rule, compute)
  const name = withMemberName('BindName', () => compute(rule.BindName))
  if (!names[type](name)) throw invalid(`Invalid Binding Rule: BindName: ${quotedName(name)} is not a valid name of a ${type}`)
  return { type, name }
}

/** `BindName` is the name of the template, without variables of the login. Only the template's own variable `name` is computed. */
function templateOf({ BindName, BindVars }: Bindable, compute: Compute): RuleBinding {
  const name = withMemberName('BindName', () => readTemplateName(BindName))
  const template = BindVars?.name
  const variables = template ? { name: withMemberName('BindVars', () => compute(template)) } : undefined
  withMemberName('BindVars', () => validateVariables(name, variables))
  return { type: TEMPLATED, name, ...(variables ? { variables } : {}) }
}

function withMemberName<T>(member: string, body: () => T): T {
  try {
    return body()
  } catch (thrown) {
    throw thrown instanceof KernelError ? invalid(`Invalid Binding Rule: ${member}: ${thrown.message}`) : thrown
  }
}

const MAX_SHOWN_CHARACTERS = 256

const quotedName = (name: string): string =>
  JSON.stringify(name.length > MAX_SHOWN_CHARACTERS ? `${name.slice(0, MAX_SHOWN_CHARACTERS)}...` : name)
