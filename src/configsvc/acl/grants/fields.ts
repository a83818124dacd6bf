import { f } from '../../../core/field/fields.ts'

const NAME_RULE = 'at most 256 lower-case letters, digits, "-" and "_", beginning and ending with a letter or digit'

/** The maximum number of links of each kind in a role or token, because every decision reads and compiles all of them. */
const LIST_LIMIT = { most: 1000 }

const LINK = {
  ID: f.strictText('A UUID; takes precedence over the name.').default(''),
  Name: f.strictText('The name, regardless of case.').default(''),
}

const LINK_SHOWN = { ID: f.text('UUID.'), Name: f.text('The current name of the linked object.') }

const VARIABLES = f
  .record(
    { name: f.strictText('The name that replaces the placeholder in the template.').default('') },
    'The variables of the template.',
    {
      name: 'TemplateVariables',
    },
  )
  .optional()

const SERVICE_IDENTITIES = f.records(
  {
    ServiceName: f.strictText(`The service: ${NAME_RULE}.`).default(''),
    Datacenters: f.strictTexts('The datacenters in which the identity is valid; everywhere if empty.').default([]),
  },
  'Service identities: each grants what a service and its proxy need to register and to discover others.',
  { name: 'ServiceIdentity', ...LIST_LIMIT },
)

const NODE_IDENTITIES = f.records(
  {
    NodeName: f.strictText(`The node: ${NAME_RULE}.`).default(''),
    Datacenter: f.strictText('The datacenter in which the identity is valid.').default(''),
  },
  'Node identities: each grants what a node needs to register and to discover services.',
  { name: 'NodeIdentity', ...LIST_LIMIT },
)

const TEMPLATED_POLICIES = f.records(
  {
    TemplateName: f.strictText('One of the built-in templates.').default(''),
    // Members of responses are allowed, because clients send back what they have read.
    TemplateID: f
      .strictText('Ignored. Accepted because responses contain it, and clients send back what they have read.')
      .default(''),
    TemplateVariables: VARIABLES,
    Datacenters: f.strictTexts('The datacenters in which the policy is valid; everywhere if empty.').default([]),
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

/** The grants in responses about roles and tokens. A member is absent if its list is empty. */
export const GRANTS_SHOWN = {
  Policies: f.records(LINK_SHOWN, 'The linked policies that exist.', { name: 'PolicyLink' }).optional(),
  TemplatedPolicies: f
    .records(
      {
        TemplateID: f.text('The ID of the template.'),
        TemplateName: f.text('The name of the template.'),
        TemplateVariables: f
          .record({ name: f.text('The name that replaces the placeholder in the template.').optional() }, 'Its variables.', {
            name: 'TemplateVariables',
          })
          .optional(),
        Datacenters: f.texts('The datacenters in which the policy is valid; absent: everywhere.').optional(),
      },
      'Templated policies.',
      { name: 'TemplatedPolicyLink' },
    )
    .optional(),
  ServiceIdentities: f
    .records(
      {
        ServiceName: f.text('The service.'),
        Datacenters: f.texts('The datacenters in which the identity is valid; absent: everywhere.').optional(),
      },
      'Services.',
      { name: 'ServiceIdentity' },
    )
    .optional(),
  NodeIdentities: f
    .records({ NodeName: f.text('The node.'), Datacenter: f.text('The datacenter in which the identity is valid.') }, 'Nodes.', {
      name: 'NodeIdentity',
    })
    .optional(),
}

/** The additional member in responses about tokens. */
export const ROLE_LINKS_SHOWN = f.records(LINK_SHOWN, 'The linked roles that exist.', { name: 'RoleLink' }).optional()
