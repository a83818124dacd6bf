import { lookupSelfWrapping, lookupWrapping } from './lookup.ts'
import { readPublicKey } from './public-key.ts'
import { rewrap } from './rewrap.ts'
import { unwrap } from './unwrap.ts'
import { wrap } from './wrap.ts'

export const wrappingOperations = { wrap, unwrap, rewrap, lookupWrapping, readPublicKey }

/** Operations that can be called only by path. */
export const wrappingPathOperations = { lookupSelfWrapping }
