/** What callers may do, told without doing it. Room: sys. Imported by the system engine and the composition root. */
import { capabilities, capabilitiesAccessor, capabilitiesSelf } from './capabilities.ts'
import { resultantAcl } from './resultant-acl.ts'

export const capabilityOperations = { capabilities, capabilitiesSelf, capabilitiesAccessor, resultantAcl }
