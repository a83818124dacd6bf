/** One schedule of each kind; `schedules-*.slow.test.ts` runs many. */
import { test } from 'vitest'
import { levels } from './schedules.ts'

test.each([
  ['in which clusters change their parts', 15],
  ['in which stored records are damaged', 6],
  ['in which the primary is set back to a backup', 12],
] as const)('a schedule %s ends with clusters that are level', (_kind, seed) => levels(seed))
