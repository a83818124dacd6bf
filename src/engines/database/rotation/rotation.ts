import { invalid } from '../../../core/base/errors.ts'
import { nextFiring, parseSchedule } from './schedule.ts'

const MIN_PERIOD_SECONDS = 5
const MIN_WINDOW_SECONDS = 3_600

/** When to rotate the credential of a static role: periodically, or by a schedule. */
export type RotationSettings =
  /** @property rotation_period The time between rotations in seconds. */
  | { readonly rotation_period: number }
  /**
   * @property rotation_window Seconds after each scheduled time in which the rotation must begin. If the window is missed, the rotation waits for
   * the next scheduled time. Absent: the rotation may begin at any later time.
   */
  | { readonly rotation_schedule: string; readonly rotation_window?: number }

/** The parameters of a request. */
export interface RotationInput {
  /** The time between rotations in seconds. */
  readonly rotation_period?: number | undefined
  readonly rotation_schedule?: string | undefined
  /** The length in seconds of the window after each scheduled time. */
  readonly rotation_window?: number | undefined
}

/**
 * Returns the rotation settings that a role has after a request. Settings that the request does not contain are kept. But a new period
 * replaces a schedule and its window, and a new schedule replaces a period. The checks run in OpenBao's order, since only the first failure
 * is reported.
 * @throws KernelError 400 for the first invalid parameter.
 */
export function mergeRotation(stored: RotationSettings | undefined, given: RotationInput): RotationSettings {
  const { rotation_period: period, rotation_schedule: schedule, rotation_window: window } = given
  if (period !== undefined && schedule !== undefined)
    throw invalid('rotation_period, rotation_schedule: only one of them may be given')
  if (period === undefined && schedule === undefined && !stored)
    throw invalid('rotation_period, rotation_schedule: one of them is required')
  if (period !== undefined && period < MIN_PERIOD_SECONDS)
    throw invalid(`rotation_period: must be at least ${MIN_PERIOD_SECONDS} seconds`)
  const kept = stored && 'rotation_schedule' in stored ? stored : undefined
  if (window !== undefined && (period !== undefined || (schedule === undefined && !kept)))
    throw invalid('rotation_window: may only be given with rotation_schedule')
  if (schedule !== undefined) parseSchedule(schedule)
  if (window !== undefined && window < MIN_WINDOW_SECONDS)
    throw invalid(`rotation_window: must be at least ${MIN_WINDOW_SECONDS} seconds`)
  if (period !== undefined) return { rotation_period: period }
  const text = schedule ?? kept?.rotation_schedule
  if (text === undefined) return stored as RotationSettings
  const length = window ?? kept?.rotation_window
  return length === undefined ? { rotation_schedule: text } : { rotation_schedule: text, rotation_window: length }
}

/** Returns the time of the next rotation after a rotation at the time `changed`. Both times are in milliseconds since the Unix epoch. */
export const nextRotation = (rotation: RotationSettings, changed: number): number =>
  'rotation_period' in rotation
    ? changed + rotation.rotation_period * 1000
    : nextFiring(parseSchedule(rotation.rotation_schedule), changed)

/** `missed`: the rotation window is over, so the rotation waits for the next scheduled time. */
export type RotationTiming = 'early' | 'due' | 'missed'

/** Decides at the time `now` whether a rotation that is scheduled for `next` must run. Both times are milliseconds since the Unix epoch. */
export function rotationTiming(rotation: RotationSettings, next: number, now: number): RotationTiming {
  if (now < next) return 'early'
  const window = 'rotation_schedule' in rotation ? rotation.rotation_window : undefined
  return window !== undefined && now >= next + window * 1000 ? 'missed' : 'due'
}

/**
 * Returns the number of seconds from `now` to the rotation that is scheduled for `next`, or 0 if that rotation is overdue. If the window of
 * that rotation is over, returns the number of seconds to the next scheduled time.
 */
export function rotationTtl(rotation: RotationSettings, next: number, now: number): number {
  const coming = rotationTiming(rotation, next, now) === 'missed' ? nextRotation(rotation, now) : next
  return Math.max(0, Math.round((coming - now) / 1000))
}
