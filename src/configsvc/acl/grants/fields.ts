/**
 * What roles and tokens grant, as it is written and shown.
 */
import { f } from '../../../core/field/fields.ts'

const NAME_RULE = 'at most 256 lower-case letters, digits, "-" and "_", beginning and ending with a letter or digit'

/** A role or a token holds at most as many of each kind: every decision reads and compiles them. */
const LIST_LIMIT = { most: 1000 }

const LINK = {
  ID: f.strictText('UUID; counts for more than the name.').default(''),
  Name: f.strictText('The name, in any case.').default(''),
}

const LINK_SHOWN = { ID: f.text('UUID.'), Name: f.text('The present name.') }

const VARIABLES = f
  .record({ name: f.strictText('What the template is about.').default('') }, 'The variables of the template.', {
    name: 'TemplateVariables',
  })
  .optional()

const SERVICE_IDENTITIES = f.records(
  {
    ServiceName: f.strictText(`The service: ${NAME_RULE}.`).default(''),
    Datacenters: f.strictTexts('Where it counts; everywhere if empty.').default([]),
  },
  'Services that may be registered, with what their proxies need.',
  { name: 'ServiceIdentity', ...LIST_LIMIT },
)

const NODE_IDENTITIES = f.records(
  {
    NodeName: f.strictText(`The node: ${NAME_RULE}.`).default(''),
    Datacenter: f.strictText('The datacenter where it counts.').default(''),
  },
  'Nodes that may be registered.',
  { name: 'NodeIdentity', ...LIST_LIMIT },
)

const TEMPLATED_POLICIES = f.records(
  {
    TemplateName: f.strictText('One of the built-in templates.').default(''),
    // Clients send back what they have read.
    TemplateID: f.strictText('Told by the service, and not looked at.').default(''),
    TemplateVariables: VARIABLES,
    Datacenters: f.strictTexts('Where it counts; everywhere if empty.').default([]),
  },
  'Templated policies with their variables.',
  { name: 'TemplatedPolicyLink', ...LIST_LIMIT },
)

/** Members of the bodies of roles and tokens. */
export const GRANT_FIELDS = {
  Policies: f.records(LINK, 'Policies, by ID or name.', { name: 'PolicyLink', ...LIST_LIMIT }).default([]),
  TemplatedPolicies: TEMPLATED_POLICIES.default([]),
  ServiceIdentities: SERVICE_IDENTITIES.default([]),
  NodeIdentities: NODE_IDENTITIES.default([]),
}

/** The member of tokens' bodies beside them. */
export const ROLE_LINK_FIELD = f.records(LINK, 'Roles, by ID or name.', { name: 'RoleLink', ...LIST_LIMIT }).default([])

/** Members of answers. Each is absent where it would be empty. */
export const GRANTS_SHOWN = {
  Policies: f.records(LINK_SHOWN, 'The policies that exist.', { name: 'PolicyLink' }).optional(),
  TemplatedPolicies: f
    .records(
      {
        TemplateID: f.text('The ID of the template.'),
        TemplateName: f.text('The name of the template.'),
        TemplateVariables: f
          .record({ name: f.text('What the template is about.').optional() }, 'Its variables.', { name: 'TemplateVariables' })
          .optional(),
        Datacenters: f.texts('Where it counts; absent: everywhere.').optional(),
      },
      'Templated policies.',
      { name: 'TemplatedPolicyLink' },
    )
    .optional(),
  ServiceIdentities: f
    .records(
      { ServiceName: f.text('The service.'), Datacenters: f.texts('Where it counts; absent: everywhere.').optional() },
      'Services.',
      { name: 'ServiceIdentity' },
    )
    .optional(),
  NodeIdentities: f
    .records({ NodeName: f.text('The node.'), Datacenter: f.text('Where it counts.') }, 'Nodes.', { name: 'NodeIdentity' })
    .optional(),
}

/** The member of tokens' answers beside them. */
export const ROLE_LINKS_SHOWN = f.records(LINK_SHOWN, 'The roles that exist.', { name: 'RoleLink' }).optional()
