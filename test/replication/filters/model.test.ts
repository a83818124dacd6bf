/** A few sequences of steps; `model.slow.test.ts` has more. */
import { it } from 'vitest'
import { holdsWhatIsAdmitted } from './model.ts'

it('a filtered secondary has exactly the records that its filter admits after any steps', () => holdsWhatIsAdmitted(5))
