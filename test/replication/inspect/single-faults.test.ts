/** A Merkle check finds every single fault. */
import { it } from 'vitest'
import { expectFound } from './single-faults.ts'

const FAULTS = 45

it(`each of ${FAULTS} single faults is found with its key, and is no longer reported after it is undone`, () =>
  expectFound(FAULTS))
