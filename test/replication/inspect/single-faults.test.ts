/** A check finds every single fault. */
import { it } from 'vitest'
import { expectFound } from './single-faults.ts'

const FAULTS = 45

it(`each of ${FAULTS} single faults is found, named, and gone when it is undone`, () => expectFound(FAULTS))
