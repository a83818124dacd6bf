/**
 * When the credential of a static role is changed: every so many seconds, or by a schedule, within a window of it or at any time after.
 */
import { invalid } from '../../../core/base/errors.ts'
import { nextFiring, parseSchedule } from './schedule.ts'

/** Seconds. */
const MIN_PERIOD_SECONDS = 5
/** Seconds. */
const MIN_WINDOW_SECONDS = 3_600

/** As a role keeps it. */
export type RotationSettings =
  /** @property rotation_period Seconds. */
  | { readonly rotation_period: number }
  /** @property rotation_window Seconds from each firing within which the change has to begin; absent: however late. */
  | { readonly rotation_schedule: string; readonly rotation_window?: number }

/** What a request names of it. */
export interface RotationInput {
  /** Seconds. */
  readonly rotation_period?: number | undefined
  readonly rotation_schedule?: string | undefined
  /** Seconds. */
  readonly rotation_window?: number | undefined
}

/**
 * What a role keeps after a request: what is not named stays, a period takes the place of a schedule with its window, a schedule that of a
 * period. Checks come in the order of the originals.
 * @throws KernelError 400
 */
export function mergeRotation(stored: RotationSettings | undefined, given: RotationInput): RotationSettings {
  const { rotation_period: period, rotation_schedule: schedule, rotation_window: window } = given
  if (period !== undefined && schedule !== undefined)
    throw invalid('rotation_period and rotation_schedule: only one of the two may be given')
  if (period === undefined && schedule === undefined && !stored)
    throw invalid('rotation_period, rotation_schedule: one of the two must be given')
  if (period !== undefined && period < MIN_PERIOD_SECONDS)
    throw invalid(`rotation_period: must be ${MIN_PERIOD_SECONDS} seconds or more`)
  const kept = stored && 'rotation_schedule' in stored ? stored : undefined
  if (window !== undefined && (period !== undefined || (schedule === undefined && !kept)))
    throw invalid('rotation_window: goes with rotation_schedule only')
  if (schedule !== undefined) parseSchedule(schedule)
  if (window !== undefined && window < MIN_WINDOW_SECONDS)
    throw invalid(`rotation_window: must be ${MIN_WINDOW_SECONDS} seconds or more`)
  if (period !== undefined) return { rotation_period: period }
  const text = schedule ?? kept?.rotation_schedule
  if (text === undefined) return stored as RotationSettings
  const length = window ?? kept?.rotation_window
  return length === undefined ? { rotation_schedule: text } : { rotation_schedule: text, rotation_window: length }
}

/** When it is due after a change at `changed`. Milliseconds since the Unix epoch, both. */
export const nextRotation = (rotation: RotationSettings, changed: number): number =>
  'rotation_period' in rotation
    ? changed + rotation.rotation_period * 1000
    : nextFiring(parseSchedule(rotation.rotation_schedule), changed)

/** `missed`: the window is over, and it is due again at the next firing. */
export type RotationTiming = 'early' | 'due' | 'missed'

/** What is to be done at `now` about a change that was to come at `next`. Milliseconds since the Unix epoch, both. */
export function rotationTiming(rotation: RotationSettings, next: number, now: number): RotationTiming {
  if (now < next) return 'early'
  const window = 'rotation_schedule' in rotation ? rotation.rotation_window : undefined
  return window !== undefined && now >= next + window * 1000 ? 'missed' : 'due'
}

/**
 * Seconds from `now` until the change that is to come at `next`: 0 from then on until it is done. After a missed window the next time of the
 * schedule counts.
 */
export function rotationTtl(rotation: RotationSettings, next: number, now: number): number {
  const coming = rotationTiming(rotation, next, now) === 'missed' ? nextRotation(rotation, now) : next
  return Math.max(0, Math.round((coming - now) / 1000))
}
