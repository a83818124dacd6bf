/** A few schedules; `schedules-*.slow.test.ts` runs many. */
import { test } from 'vitest'
import { holds } from './schedules.ts'

test.each([13, 18])('replication landscape: schedule %i holds all properties', holds)
