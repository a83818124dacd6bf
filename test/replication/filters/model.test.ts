/** A few walks; `model.slow.test.ts` has more. */
import { it } from 'vitest'
import { holdsWhatIsAdmitted } from './model.ts'

it('a filtered secondary holds what its filter admits, and nothing else, after any steps', () => holdsWhatIsAdmitted(5))
