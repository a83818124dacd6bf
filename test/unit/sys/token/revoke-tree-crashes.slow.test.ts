import { describe } from 'vitest'
import { crashSuite } from './revoke-tree-crashes.ts'

describe('a crash at any commit of the revocation of a token tree', crashSuite(1))
