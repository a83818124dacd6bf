/** Many walks; `sync-model.test.ts` runs a few. */
import { it } from 'vitest'
import { runs } from '../fixtures/runs.ts'
import { agreeAfterWalks } from './sync-model.ts'

it('the external store, the associations and the live versions of secrets agree after many random sequences of operations', () =>
  agreeAfterWalks(runs({ quick: 60, soak: 1_000 })))
