/** A few sequences of steps; `model.slow.test.ts` has more. */
import { it } from 'vitest'
import { holdsWhatIsAdmitted } from './model.ts'

it('a secondary with a path filter has exactly the admitted records after any sequence of operations', () =>
  holdsWhatIsAdmitted(5))
