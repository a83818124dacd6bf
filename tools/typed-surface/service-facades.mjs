// The facades of the configuration service.

const MODULE = 'configsvc/operations.ts'
const RECORDS = 'configsvc/acl/api-records.ts'

/** @type {readonly import('./facades.mjs').FacadeSource[]} */
export const SERVICE_FACADES = [
  {
    name: 'AclDecisions',
    file: 'configsvc/acl/decisions/api.ts',
    operations: 'FACADES.acl',
    view: 'configsvc.acl',
    thing: 'Acl',
    about: 'The first management token, and decisions: what tokens may do, told without doing it, and why.',
  },
  {
    name: 'AclPolicies',
    file: 'configsvc/acl/policies/api.ts',
    operations: 'FACADES.policies',
    view: 'configsvc.policies',
    thing: 'Policy',
    about: 'What tokens may do, as texts of rules.',
  },
  {
    name: 'AclTokens',
    file: 'configsvc/acl/tokens/api.ts',
    operations: 'FACADES.tokens',
    view: 'configsvc.tokens',
    thing: 'Token',
    about: 'Who may ask, each by a secret of its own.',
  },
  {
    name: 'AclRoles',
    file: 'configsvc/acl/roles/api.ts',
    operations: 'FACADES.roles',
    view: 'configsvc.roles',
    thing: 'Role',
    about: 'Bundles of policies and identities that tokens link to.',
  },
  {
    name: 'TemplatedPolicies',
    file: 'configsvc/acl/templated/api.ts',
    operations: 'FACADES.templatedPolicies',
    view: 'configsvc.templatedPolicies',
    thing: 'TemplatedPolicy',
    about: 'Rules that wait for a name.',
  },
  {
    name: 'AuthMethods',
    file: 'configsvc/acl/auth-methods/api.ts',
    operations: 'FACADES.authMethods',
    view: 'configsvc.authMethods',
    thing: 'AuthMethod',
    about: 'Whose tokens are exchanged for tokens of this service.',
  },
  {
    name: 'BindingRules',
    file: 'configsvc/acl/binding-rules/api.ts',
    operations: 'FACADES.bindingRules',
    view: 'configsvc.bindingRules',
    thing: 'BindingRule',
    about: 'What logins get.',
  },
  {
    name: 'ConfigEntries',
    file: 'configsvc/entries/operations/api.ts',
    operations: 'FACADES.entries',
    view: 'configsvc.entries',
    thing: 'Entry',
    about:
      'Config entries: what a mesh is configured by. An entry is judged by the rules of its kind and, in the commit that writes it, against all others that have to do with it.',
  },
  {
    name: 'AclLogins',
    file: 'configsvc/acl/login/api.ts',
    operations: 'OWN',
    view: 'configsvc',
    thing: '',
    about: 'Logins, and their ends.',
  },
].map((facade) => ({ module: MODULE, path: '', records: RECORDS, ...facade }))
