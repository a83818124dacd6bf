/** A few schedules; `schedules-*.slow.test.ts` runs many. */
import { test } from 'vitest'
import { holds } from './schedules.ts'

test.each([13, 18])('schedule %i of simulated replicated clusters violates no property', holds)
