/** Compares random sequences of rekey calls, restarts and sealings with a model. */

import { expect, it } from 'vitest'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { walk, walks } from './rekey-model.ts'

const RUNS = runs({ quick: 60, soak: 1500 })

it.each(['barrier', 'recovery'] as const)(
  'a rekey of the %s key behaves like its model for any sequence of calls and restarts',
  async (kind) => {
    let completed = 0
    await fc.assert(
      fc.asyncProperty(walks, async (sequence) => {
        const { former } = await walk(kind, sequence)
        if (former.length > 0) completed++
      }),
      { numRuns: RUNS },
    )
    // Otherwise only refusals would have been tested.
    expect(completed).toBeGreaterThan(RUNS / 10)
  },
)
