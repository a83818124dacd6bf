// The facades of the configuration service.

const MODULE = 'configsvc/operations.ts'
const RECORDS = 'configsvc/acl/generated/api-records.ts'

/** @type {readonly import('./facades.mjs').FacadeSource[]} */
export const SERVICE_FACADES = [
  {
    name: 'AclDecisions',
    file: 'configsvc/acl/decisions/generated/api.ts',
    operations: 'FACADES.acl',
    view: 'configsvc.acl',
    thing: 'Acl',
    about:
      'Creates the first management token. Reports whether a token allows an action, and why, without performing the action.',
  },
  {
    name: 'AclPolicies',
    file: 'configsvc/acl/policies/generated/api.ts',
    operations: 'FACADES.policies',
    view: 'configsvc.policies',
    thing: 'Policy',
    about: 'Policies: rules that grant permissions to tokens.',
  },
  {
    name: 'AclTokens',
    file: 'configsvc/acl/tokens/generated/api.ts',
    operations: 'FACADES.tokens',
    view: 'configsvc.tokens',
    thing: 'Token',
    about: 'Tokens. A request that presents the SecretID of a token has the permissions of the token.',
  },
  {
    name: 'AclRoles',
    file: 'configsvc/acl/roles/generated/api.ts',
    operations: 'FACADES.roles',
    view: 'configsvc.roles',
    thing: 'Role',
    about: 'Roles: sets of policies and identities that tokens can have.',
  },
  {
    name: 'TemplatedPolicies',
    file: 'configsvc/acl/templated/generated/api.ts',
    operations: 'FACADES.templatedPolicies',
    view: 'configsvc.templatedPolicies',
    thing: 'TemplatedPolicy',
    about: 'Templated policies: rules in which a name is a variable.',
  },
  {
    name: 'AuthMethods',
    file: 'configsvc/acl/auth-methods/generated/api.ts',
    operations: 'FACADES.authMethods',
    view: 'configsvc.authMethods',
    thing: 'AuthMethod',
    about: 'Auth methods: the issuers whose tokens a login exchanges for tokens of this service.',
  },
  {
    name: 'BindingRules',
    file: 'configsvc/acl/binding-rules/generated/api.ts',
    operations: 'FACADES.bindingRules',
    view: 'configsvc.bindingRules',
    thing: 'BindingRule',
    about: 'Binding rules: the roles, policies and identities of login tokens.',
  },
  {
    name: 'ConfigEntries',
    file: 'configsvc/entries/operations/generated/api.ts',
    operations: 'FACADES.entries',
    view: 'configsvc.entries',
    thing: 'Entry',
    about:
      'Config entries: the configuration of a service mesh. An entry is validated by the rules of its kind and, in the commit that writes it, against all related entries.',
  },
  {
    name: 'AclLogins',
    file: 'configsvc/acl/login/generated/api.ts',
    operations: 'SERVICE_METHODS',
    view: 'configsvc',
    thing: '',
    about: 'Logins and logouts.',
  },
].map((facade) => ({ module: MODULE, path: '', records: RECORDS, ...facade }))
