import { deletePolicy } from './delete-policy.ts'
import { explain } from './explain.ts'
import { listPolicies } from './list-policies.ts'
import { deleteOld, listOld, readAllOld, readOld, writeOld } from './old-paths.ts'
import { readPolicy } from './read-policy.ts'
import { writePolicy } from './write-policy.ts'

export const policyOperations = { readPolicy, writePolicy, deletePolicy, listPolicies, explain }

/** The policy operations at `sys/policy`, the path in Vault's first releases. */
export const oldPolicyOperations = { readOld, writeOld, deleteOld, listOld, readAllOld }
