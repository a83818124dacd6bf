/** Many sequences of steps; `model.test.ts` has a few. */
import { it } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { holdsWhatIsAdmitted } from './model.ts'

it('a filtered secondary has exactly the records that its filter admits after any steps', () =>
  holdsWhatIsAdmitted(runs({ quick: 25, soak: 300 })))
