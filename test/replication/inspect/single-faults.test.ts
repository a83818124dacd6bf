/** A Merkle check finds every single fault. */
import { it } from 'vitest'
import { expectFound } from './single-faults.ts'

const FAULTS = 45

it(`each of ${FAULTS} faults is found by a Merkle check with its key, and no longer reported after it is undone`, () =>
  expectFound(FAULTS))
