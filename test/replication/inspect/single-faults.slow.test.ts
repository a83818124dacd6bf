/** A check finds every single fault. */
import { it } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { expectFound } from './single-faults.ts'

const FAULTS = runs({ quick: 300, soak: 10_000 })

it(`each of ${FAULTS} single faults is found and named, and is no longer reported once it is undone`, () => expectFound(FAULTS))
