/** The directed schedules, by name. */
import type { Schedule } from '../simulate.ts'
import { admitted, denied, foreignClass, keptBack, revokedAhead, writtenMeanwhile } from './copies.ts'
import { givenUpToo, nameAlone, removedBefore, takenBack } from './filtered-data.ts'
import {
  behindItsBack,
  emptyEpoch,
  halfCompared,
  inheritedLoss,
  otherAnswers,
  ownRecordsOnly,
  rivals,
  takenApart,
  unbegunEpoch,
} from './handing-over.ts'
import { lies } from './lies.ts'

export const DIRECTED = {
  rivals,
  emptyEpoch,
  ownRecordsOnly,
  halfCompared,
  behindItsBack,
  takenApart,
  writtenMeanwhile,
  admitted,
  denied,
  foreignClass,
  keptBack,
  revokedAhead,
  unbegunEpoch,
  inheritedLoss,
  otherAnswers,
  takenBack,
  removedBefore,
  givenUpToo,
  nameAlone,
  lies,
} as const satisfies Readonly<Record<string, Omit<Schedule, 'seed'>>>
