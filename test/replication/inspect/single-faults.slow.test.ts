/** A Merkle check finds every single fault. */
import { it } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { expectFound } from './single-faults.ts'

const FAULTS = runs({ quick: 300, soak: 10_000 })

it(`each of ${FAULTS} single faults is found with its key, and is no longer reported after it is undone`, () =>
  expectFound(FAULTS))
