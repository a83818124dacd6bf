/** Many walks; `sync-model.test.ts` runs a few. */
import { it } from 'vitest'
import { runs } from '../fixtures/runs.ts'
import { agreeAfterWalks } from './sync-model.ts'

it('secret sync leaves external store, associations and live versions in agreement after many random walks', () =>
  agreeAfterWalks(runs({ quick: 60, soak: 1_000 })))
