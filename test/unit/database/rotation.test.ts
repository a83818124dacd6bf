import { describe, expect, it } from 'vitest'
import {
  mergeRotation,
  nextRotation,
  type RotationInput,
  type RotationSettings,
  rotationTiming,
  rotationTtl,
} from '../../../src/engines/database/rotation/rotation.ts'

const at = (text: string): number => Date.parse(text)
const PERIOD: RotationSettings = { rotation_period: 60 }
const SCHEDULE: RotationSettings = { rotation_schedule: '0 3 * * *', rotation_window: 7200 }

describe('the rotation settings of a static role', () => {
  it.each<[string, RotationSettings | undefined, RotationInput, RotationSettings]>([
    ['a period', undefined, { rotation_period: 5 }, { rotation_period: 5 }],
    ['a schedule', undefined, { rotation_schedule: '* * * * *' }, { rotation_schedule: '* * * * *' }],
    [
      'a schedule and its window',
      undefined,
      { rotation_schedule: '0 3 * * *', rotation_window: 3600 },
      { rotation_schedule: '0 3 * * *', rotation_window: 3600 },
    ],
    ['the former schedule if nothing is given', SCHEDULE, {}, SCHEDULE],
    ['the former period if nothing is given', PERIOD, {}, PERIOD],
    ['a period instead of a schedule and its window', SCHEDULE, { rotation_period: 60 }, PERIOD],
    ['a schedule instead of a period', PERIOD, { rotation_schedule: '0 4 * * *' }, { rotation_schedule: '0 4 * * *' }],
    [
      'the former window with a new schedule',
      SCHEDULE,
      { rotation_schedule: '0 4 * * *' },
      { rotation_schedule: '0 4 * * *', rotation_window: 7200 },
    ],
    [
      'a new window with the former schedule',
      SCHEDULE,
      { rotation_window: 3600 },
      { rotation_schedule: '0 3 * * *', rotation_window: 3600 },
    ],
  ])('store %s', (_name, stored, input, expected) => {
    expect(mergeRotation(stored, input)).toEqual(expected)
  })

  it.each<[string, RotationSettings | undefined, RotationInput, RegExp]>([
    ['neither a period nor a schedule', undefined, {}, /one of them is required/],
    ['a window alone', undefined, { rotation_window: 3600 }, /one of them is required/],
    ['both a period and a schedule', undefined, { rotation_period: 1, rotation_schedule: '' }, /only one of them/],
    ['a period that is too short', undefined, { rotation_period: 4 }, /at least 5 seconds/],
    ['a window with a period', undefined, { rotation_period: 60, rotation_window: 3600 }, /only be given with rotation_schedule/],
    ['a window with a stored period', PERIOD, { rotation_window: 3600 }, /only be given with rotation_schedule/],
    ['an invalid schedule', undefined, { rotation_schedule: 'daily', rotation_window: 1 }, /^rotation_schedule: /],
    ['an empty schedule', PERIOD, { rotation_schedule: '' }, /^rotation_schedule: /],
    ['a window that is too short', undefined, { rotation_schedule: '* * * * *', rotation_window: 3599 }, /at least 3600 seconds/],
    ['a window of 0', SCHEDULE, { rotation_window: 0 }, /at least 3600 seconds/],
  ])('refuse %s', (_name, stored, input, rule) => {
    expect(() => mergeRotation(stored, input)).toThrow(rule)
  })
})

describe('the rotation of a static role', () => {
  const CHANGED = at('2026-11-21T10:14:38.107Z')

  it('is due one period after the last change of the password, or when its schedule next fires', () => {
    expect(nextRotation(PERIOD, CHANGED)).toBe(CHANGED + 60_000)
    expect(nextRotation(SCHEDULE, CHANGED)).toBe(at('2026-11-22T03:00:00Z'))
  })

  it('with a period stays due, however late it is', () => {
    const next = nextRotation(PERIOD, CHANGED)
    expect(rotationTiming(PERIOD, next, next - 1)).toBe('early')
    expect(rotationTiming(PERIOD, next, next)).toBe('due')
    expect(rotationTiming(PERIOD, next, next + 1e12)).toBe('due')
  })

  it('with a schedule and no window stays due, however late it is', () => {
    const schedule = { rotation_schedule: '0 3 * * *' }
    const next = nextRotation(schedule, CHANGED)
    expect(rotationTiming(schedule, next, next - 1)).toBe('early')
    expect(rotationTiming(schedule, next, next + 1e12)).toBe('due')
  })

  it('with a window is due only within the window, and afterwards at the next firing', () => {
    const next = nextRotation(SCHEDULE, CHANGED)
    expect(rotationTiming(SCHEDULE, next, next - 1)).toBe('early')
    expect(rotationTiming(SCHEDULE, next, next)).toBe('due')
    expect(rotationTiming(SCHEDULE, next, next + 7_199_999)).toBe('due')
    expect(rotationTiming(SCHEDULE, next, next + 7_200_000)).toBe('missed')
    expect(nextRotation(SCHEDULE, next + 7_200_000)).toBe(at('2026-11-23T03:00:00Z'))
  })

  it('has a ttl of the remaining seconds, or 0 if it is due', () => {
    const due = CHANGED + 60_000
    expect(rotationTtl(PERIOD, due, CHANGED)).toBe(60)
    expect(rotationTtl(PERIOD, due, CHANGED + 1_499)).toBe(59)
    expect(rotationTtl(PERIOD, due, CHANGED + 1_501)).toBe(58)
    expect(rotationTtl(PERIOD, due, CHANGED + 99_000)).toBe(0)
    const three = at('2026-11-25T03:00:00Z')
    expect(rotationTtl(SCHEDULE, three, at('2026-11-25T02:59:00Z'))).toBe(60)
    expect(rotationTtl(SCHEDULE, three, three)).toBe(0)
    expect(rotationTtl(SCHEDULE, three, three + 5000)).toBe(0)
    const window = { ...SCHEDULE, rotation_window: 3600 }
    expect(rotationTtl(window, three, three + 3_599_000)).toBe(0)
    expect(rotationTtl(window, three, three + 3_600_000)).toBe(82_800)
  })
})
