/** Many sequences of steps; `model.test.ts` has a few. */
import { it } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { holdsWhatIsAdmitted } from './model.ts'

it('a secondary with a path filter has exactly the admitted records after any sequence of operations', () =>
  holdsWhatIsAdmitted(runs({ quick: 25, soak: 300 })))
