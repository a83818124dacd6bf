import { capabilities, capabilitiesAccessor, capabilitiesSelf } from './capabilities.ts'
import { resultantAcl } from './resultant-acl.ts'

export const capabilityOperations = { capabilities, capabilitiesSelf, capabilitiesAccessor, resultantAcl }
