/** Many walks; `sync-model.test.ts` has a few. */
import { it } from 'vitest'
import { runs } from '../fixtures/runs.ts'
import { agreeAfterWalks } from './sync-model.ts'

it('external store, rows and live versions agree after any walk', () => agreeAfterWalks(runs({ quick: 60, soak: 1_000 })))
