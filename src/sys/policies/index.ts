import { deletePolicy } from './delete-policy.ts'
import { explain } from './explain.ts'
import { listPolicies } from './list-policies.ts'
import { deleteOld, listOld, readAllOld, readOld, writeOld } from './old-paths.ts'
import { readPolicy } from './read-policy.ts'
import { writePolicy } from './write-policy.ts'

export const policyOperations = { readPolicy, writePolicy, deletePolicy, listPolicies, explain }

/** The same operations under the path of Vault's first releases, for the clients of those. */
export const oldPolicyOperations = { readOld, writeOld, deleteOld, listOld, readAllOld }
