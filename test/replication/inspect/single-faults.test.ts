/** A check finds every single fault. */
import { it } from 'vitest'
import { expectFound } from './single-faults.ts'

const FAULTS = 45

it(`each of ${FAULTS} single faults is found and named, and is no longer reported once it is undone`, () => expectFound(FAULTS))
