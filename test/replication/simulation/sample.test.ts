/** One schedule of each kind; `schedules-*.slow.test.ts` runs many. */
import { test } from 'vitest'
import { levels } from './schedules.ts'

test.each([
  ['with role changes', 15],
  ['with damaged records', 6],
  ['with a primary restored from a backup', 12],
] as const)('replication simulation: a schedule %s ends with clusters in sync', (_kind, seed) => levels(seed))
