/** Schedules that somebody wrote, by name. */
import type { Schedule } from '../simulate.ts'
import { admitted, denied, foreignClass, revokedAhead, writtenMeanwhile } from './copies.ts'
import { behindItsBack, emptyEpoch, ownRecordsOnly, rivals, takenApart } from './handing-over.ts'

export const DIRECTED = {
  rivals,
  emptyEpoch,
  ownRecordsOnly,
  behindItsBack,
  takenApart,
  writtenMeanwhile,
  admitted,
  denied,
  foreignClass,
  revokedAhead,
} as const satisfies Readonly<Record<string, Omit<Schedule, 'seed'>>>
