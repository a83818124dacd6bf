import { f } from '../../../core/field/fields.ts'

const NAME_RULE = 'at most 256 lower-case letters, digits, "-" and "_", beginning and ending with a letter or digit'

/** At most so many links of each kind in a role or token: every decision reads and compiles all of them. */
const LIST_LIMIT = { most: 1000 }

const LINK = {
  ID: f.strictText('A UUID; takes precedence over the name.').default(''),
  Name: f.strictText('The name, in any case.').default(''),
}

const LINK_SHOWN = { ID: f.text('UUID.'), Name: f.text('The current name.') }

const VARIABLES = f
  .record({ name: f.strictText('The name that the template is filled in with.').default('') }, 'The variables of the template.', {
    name: 'TemplateVariables',
  })
  .optional()

const SERVICE_IDENTITIES = f.records(
  {
    ServiceName: f.strictText(`The service: ${NAME_RULE}.`).default(''),
    Datacenters: f.strictTexts('Datacenters in which it is valid; everywhere if empty.').default([]),
  },
  'Services that may be registered, with what their proxies need.',
  { name: 'ServiceIdentity', ...LIST_LIMIT },
)

const NODE_IDENTITIES = f.records(
  {
    NodeName: f.strictText(`The node: ${NAME_RULE}.`).default(''),
    Datacenter: f.strictText('The datacenter in which it is valid.').default(''),
  },
  'Nodes that may be registered.',
  { name: 'NodeIdentity', ...LIST_LIMIT },
)

const TEMPLATED_POLICIES = f.records(
  {
    TemplateName: f.strictText('One of the built-in templates.').default(''),
    // Clients send back what they have read.
    TemplateID: f.strictText('Ignored: an ID that answers contain.').default(''),
    TemplateVariables: VARIABLES,
    Datacenters: f.strictTexts('Datacenters in which it is valid; everywhere if empty.').default([]),
  },
  'Templated policies with their variables.',
  { name: 'TemplatedPolicyLink', ...LIST_LIMIT },
)

/** Members in the request bodies of roles and tokens. */
export const GRANT_FIELDS = {
  Policies: f.records(LINK, 'Policies, by ID or name.', { name: 'PolicyLink', ...LIST_LIMIT }).default([]),
  TemplatedPolicies: TEMPLATED_POLICIES.default([]),
  ServiceIdentities: SERVICE_IDENTITIES.default([]),
  NodeIdentities: NODE_IDENTITIES.default([]),
}

/** The additional member in the request bodies of tokens. */
export const ROLE_LINK_FIELD = f.records(LINK, 'Roles, by ID or name.', { name: 'RoleLink', ...LIST_LIMIT }).default([])

/** Members of answers. Each is absent if its list is empty. */
export const GRANTS_SHOWN = {
  Policies: f.records(LINK_SHOWN, 'The linked policies that exist.', { name: 'PolicyLink' }).optional(),
  TemplatedPolicies: f
    .records(
      {
        TemplateID: f.text('The ID of the template.'),
        TemplateName: f.text('The name of the template.'),
        TemplateVariables: f
          .record({ name: f.text('The name that the template is filled in with.').optional() }, 'Its variables.', {
            name: 'TemplateVariables',
          })
          .optional(),
        Datacenters: f.texts('Datacenters in which it is valid; absent: everywhere.').optional(),
      },
      'Templated policies.',
      { name: 'TemplatedPolicyLink' },
    )
    .optional(),
  ServiceIdentities: f
    .records(
      {
        ServiceName: f.text('The service.'),
        Datacenters: f.texts('Datacenters in which it is valid; absent: everywhere.').optional(),
      },
      'Services.',
      { name: 'ServiceIdentity' },
    )
    .optional(),
  NodeIdentities: f
    .records({ NodeName: f.text('The node.'), Datacenter: f.text('The datacenter in which it is valid.') }, 'Nodes.', {
      name: 'NodeIdentity',
    })
    .optional(),
}

/** The additional member in answers about tokens. */
export const ROLE_LINKS_SHOWN = f.records(LINK_SHOWN, 'The linked roles that exist.', { name: 'RoleLink' }).optional()
