/**
 * Response wrapping: answers that are opened once.
 */
import { lookupSelfWrapping, lookupWrapping } from './lookup.ts'
import { readPublicKey } from './public-key.ts'
import { rewrap } from './rewrap.ts'
import { unwrap } from './unwrap.ts'
import { wrap } from './wrap.ts'

export const wrappingOperations = { wrap, unwrap, rewrap, lookupWrapping, readPublicKey }

/** What only clients of the path-addressed API ask for. */
export const wrappingPathOperations = { lookupSelfWrapping }
