/**
 * All operations of the service, by the facades they are methods of.
 */
import { policyOperations } from './acl/policies/operations.ts'
import { roleOperations } from './acl/roles/operations.ts'
import { bootstrapOperations } from './acl/tokens/bootstrap.ts'
import { tokenOperations } from './acl/tokens/operations.ts'
import type { AnyConfigOperation, ConfigOperations } from './operation.ts'

export const FACADES = {
  policies: policyOperations,
  tokens: tokenOperations,
  acl: bootstrapOperations,
  roles: roleOperations,
} as const satisfies Readonly<Record<string, ConfigOperations>>

/** The same, as one table of routes. */
export const ROUTES: ConfigOperations = Object.fromEntries(
  Object.entries(FACADES).flatMap(([facade, operations]) =>
    Object.entries(operations).map(([name, operation]) => [`${facade}.${name}`, operation as AnyConfigOperation]),
  ),
)
