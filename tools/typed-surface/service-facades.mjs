// The facades of the configuration service.

const MODULE = 'configsvc/operations.ts'
const RECORDS = 'configsvc/acl/api-records.ts'

/** @type {readonly import('./facades.mjs').FacadeSource[]} */
export const SERVICE_FACADES = [
  {
    name: 'AclPolicies',
    file: 'configsvc/acl/policies/api.ts',
    operations: 'FACADES.policies',
    view: 'configsvc.policies',
    thing: 'Policy',
    about: 'What tokens may do, as texts of rules.',
  },
].map((facade) => ({ module: MODULE, path: '', records: RECORDS, ...facade }))
