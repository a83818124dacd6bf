/**
 * All operations of the service, by the facades they are methods of.
 */
import { authMethodOperations } from './acl/auth-methods/operations.ts'
import { bindingRuleOperations } from './acl/binding-rules/operations.ts'
import { loginOperations } from './acl/login/operations.ts'
import { policyOperations } from './acl/policies/operations.ts'
import { roleOperations } from './acl/roles/operations.ts'
import type { AnyConfigOperation, ConfigOperations } from './operation.ts'

export const FACADES = {
  policies: policyOperations,
  roles: roleOperations,
  authMethods: authMethodOperations,
  bindingRules: bindingRuleOperations,
} as const satisfies Readonly<Record<string, ConfigOperations>>

/** Those that are methods of the service itself. */
export const OWN = { ...loginOperations } as const satisfies ConfigOperations

/** All that have a path, as one table of routes. */
export const ROUTES: ConfigOperations = Object.fromEntries(
  Object.entries({ ...FACADES, service: OWN }).flatMap(([facade, operations]) =>
    Object.entries<AnyConfigOperation>(operations)
      .filter(([, { path }]) => path !== '')
      .map(([name, operation]) => [`${facade}.${name}`, operation]),
  ),
)
