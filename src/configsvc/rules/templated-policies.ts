/** The templated policies: rules with a placeholder for a name. Users cannot add any. */
import { invalid, notFound } from '../../core/base/errors.ts'
import { quoteText } from '../../core/hcl/index.ts'
import { RESERVED_ID_PREFIX } from './built-in-policies.ts'
import type { Level } from './level.ts'
import { isIdentityName, MAX_IDENTITY_NAME_CHARACTERS } from './names.ts'
import { hclString, type WrittenRule, writeRule } from './write-rule.ts'

/** The values for the variables of a template. */
export interface TemplateVariables {
  readonly name?: string
}

/** The placeholder in the names of rules. */
const NAME_PLACEHOLDER = '{{.Name}}'

interface TemplateDefinition {
  readonly TemplateID: string
  readonly Description: string
  /** The validation rule for the name; absent if the template has no variable. */
  readonly name?: 'an identity' | 'any'
  /** Names may contain {@link NAME_PLACEHOLDER}. */
  readonly rules: readonly WrittenRule[]
}

const rule = (key: string, name: string, policy: Level): WrittenRule => ({ key, name, fields: { policy } })

const NODES = rule('node_prefix', '', 'read')

const SERVICES = rule('service_prefix', '', 'read')

const AGENTS = rule('agent_prefix', '', 'read')

const OWN_SERVICE = rule('service', NAME_PLACEHOLDER, 'write')

const id = (number: string): string => `${RESERVED_ID_PREFIX}${number}`

const TEMPLATES = {
  'builtin/service': {
    TemplateID: id('03'),
    Description: 'A service and its sidecar: may register both and discover other services and their nodes',
    name: 'an identity',
    rules: [OWN_SERVICE, rule('service', `${NAME_PLACEHOLDER}-sidecar-proxy`, 'write'), SERVICES, NODES],
  },
  'builtin/node': {
    TemplateID: id('04'),
    Description: 'A node: may register itself and discover services',
    name: 'an identity',
    rules: [rule('node', NAME_PLACEHOLDER, 'write'), SERVICES],
  },
  'builtin/dns': {
    TemplateID: id('05'),
    Description: 'A DNS server: may look up nodes, services and prepared queries',
    rules: [NODES, SERVICES, rule('query_prefix', '', 'read')],
  },
  'builtin/nomad-server': {
    TemplateID: id('06'),
    Description: 'A server of the scheduler: may register services, look up agents and nodes, and create tokens for its jobs',
    rules: [rule('acl', '', 'write'), AGENTS, NODES, rule('service_prefix', '', 'write')],
  },
  'builtin/api-gateway': {
    TemplateID: id('08'),
    Description: 'A gateway: may register itself, read the configuration of the mesh and discover services and their nodes',
    name: 'any',
    rules: [rule('mesh', '', 'read'), NODES, SERVICES, OWN_SERVICE],
  },
  'builtin/nomad-client': {
    TemplateID: id('09'),
    Description: 'A client of the scheduler: may register services, look up agents and nodes, and read keys',
    rules: [AGENTS, NODES, rule('service_prefix', '', 'write'), rule('key_prefix', '', 'read')],
  },
} as const satisfies Readonly<Record<string, TemplateDefinition>>

export type TemplateName = keyof typeof TEMPLATES

export const SERVICE_TEMPLATE: TemplateName = 'builtin/service'

export const NODE_TEMPLATE: TemplateName = 'builtin/node'

const NAME_SCHEMA =
  '{\n  "type": "object",\n  "properties": {\n    "name": { "type": "string", "minLength": 1 }\n  },\n  "required": ["name"]\n}\n'

export interface TemplatedPolicy {
  /** The name. */
  readonly TemplateName: TemplateName
  /** The ID, which never changes. */
  readonly TemplateID: string
  /** The JSON Schema of the template's variables; empty if the template has none. */
  readonly Schema: string
  /** Its rules, with a placeholder for the name. */
  readonly Template: string
  /** A human-readable description. */
  readonly Description: string
}

/** Sorted by ID. */
export const templatedPolicies = (): readonly TemplatedPolicy[] =>
  (Object.keys(TEMPLATES) as TemplateName[]).map((name) => templatedPolicy(name))

export function templatedPolicy(TemplateName: TemplateName): TemplatedPolicy {
  const { TemplateID, Description, name, rules }: TemplateDefinition = TEMPLATES[TemplateName]
  const Template = rules.map((row) => writeRule(row, (text) => `"${text}"`)).join('')
  return { TemplateName, TemplateID, Schema: name ? NAME_SCHEMA : '', Template, Description }
}

/** @throws KernelError (400) if no templated policy has this name. */
export function readTemplateName(name: string): TemplateName {
  if (name === '') throw invalid('TemplatedPolicies: a templated policy must have a TemplateName')
  if (!Object.hasOwn(TEMPLATES, name)) throw notFound(`TemplatedPolicies: there is no templated policy ${quoteText(name)}`, 400)
  return name as TemplateName
}

/**
 * Checks the values for the variables of a template. They are ignored if the template has no variables.
 * @throws KernelError (400) if the name is missing or invalid for the template.
 */
export function validateVariables(template: TemplateName, { name }: TemplateVariables = {}): void {
  const { name: wanted }: TemplateDefinition = TEMPLATES[template]
  const refuse = (broken: string) => invalid(`templated policy ${quoteText(template)}: TemplateVariables: ${broken}`)
  if (!wanted) return
  if (name === undefined || name === '') throw refuse('name is required and must not be empty')
  if (wanted === 'an identity' && !isIdentityName(name))
    throw refuse(
      `name must be at most ${MAX_IDENTITY_NAME_CHARACTERS} lower-case letters, digits, "-" and "_", and begin and end with a letter or digit`,
    )
  // Consul allows any name for gateways. This limit ensures that the rules do not exceed their maximum length.
  if (name.length > MAX_IDENTITY_NAME_CHARACTERS)
    throw refuse(`name must be at most ${MAX_IDENTITY_NAME_CHARACTERS} characters long`)
}

/** Returns the rules for validated variables. The name is quoted, so it cannot add rules. */
export const renderPolicyTemplate = (template: TemplateName, { name = '' }: TemplateVariables = {}): string =>
  (TEMPLATES[template] as TemplateDefinition).rules
    .map((row) => writeRule(row, (text) => hclString(text.replace(NAME_PLACEHOLDER, () => name))))
    .join('')
