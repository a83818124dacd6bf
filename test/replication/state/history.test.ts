/** The epochs of a set. An epoch contains the indexes after its start. */
import { describe, expect, it } from 'vitest'
import { MAX_EPOCHS, maxEpochAt, maxIndexAt } from '../../../src/sys/replication/state/bounds.ts'
import {
  epochAt,
  exactFrom,
  forkOf,
  type History,
  hasUnknownRebase,
  originAt,
  setIndexOf,
  withEpoch,
} from '../../../src/sys/replication/state/history.ts'
import { historyIn, plainHistory } from '../../../src/sys/replication/wire/read-messages.ts'

const origin = (digit: string): string => digit.repeat(32)

const FIRST = { epoch: 1, origin: origin('a'), start: 0 }
const SECOND = { epoch: 2, origin: origin('b'), start: 10 }
const OTHER_SECOND = { epoch: 2, origin: origin('c'), start: 7 }
const HISTORY: History = [FIRST, SECOND]

describe('the epoch that contains a log index', () => {
  it.each([
    [1, 1],
    [10, 1],
    [11, 2],
    [500, 2],
  ])('%i is epoch %i', (index, epoch) => {
    expect(epochAt(HISTORY, index)).toBe(epoch)
    expect(originAt(HISTORY, index)).toBe(HISTORY[epoch - 1]?.origin)
  })

  it('0 is the first epoch', () => {
    expect(epochAt(HISTORY, 0)).toBe(1)
  })

  it('is 0 if the history is empty', () => {
    expect(epochAt([], 5)).toBe(0)
  })
})

describe('the last index up to which two histories agree', () => {
  it('is infinite if one history continues the other', () => {
    expect(forkOf(HISTORY, HISTORY)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is the start of the first epoch that only one history has', () => {
    expect(forkOf(HISTORY, [FIRST])).toBe(10)
    expect(forkOf([FIRST], HISTORY)).toBe(10)
  })

  it('is the lower start index if their epochs with the same number differ', () => {
    expect(forkOf(HISTORY, [FIRST, OTHER_SECOND])).toBe(7)
  })

  it('is 0 if they have no epoch in common', () => {
    expect(forkOf([FIRST], [{ ...FIRST, origin: origin('d') }])).toBe(0)
    expect(forkOf([SECOND], [OTHER_SECOND])).toBe(0)
  })

  it('does not depend on the oldest epochs, which each history may have dropped', () => {
    const third = { epoch: 3, origin: origin('d'), start: 20 }
    const other = { epoch: 3, origin: origin('e'), start: 15 }
    for (const [ownHistory, otherHistory] of [
      [
        [...HISTORY, third],
        [SECOND, third],
      ],
      [
        [SECOND, third],
        [...HISTORY, third],
      ],
    ] as const)
      expect(forkOf(ownHistory, otherHistory)).toBe(Number.POSITIVE_INFINITY)
    expect(forkOf([...HISTORY, third], [SECOND, other])).toBe(15)
    expect(forkOf([SECOND, third], [...HISTORY, other])).toBe(15)
  })
})

describe('a history that grows', () => {
  it('drops its oldest epochs, so that it fits into a message', () => {
    let history: History = []
    for (let epoch = 1; epoch <= MAX_EPOCHS + 5; epoch++)
      history = withEpoch(history, { epoch, origin: epoch.toString(16).padStart(32, '0'), start: epoch })
    expect([history.length, history[0]?.epoch, history.at(-1)?.epoch]).toEqual([MAX_EPOCHS, 6, MAX_EPOCHS + 5])
    expect(historyIn({ history: plainHistory(history) }, 0)).toEqual(history)
  })
})

describe('the maximum epoch and index that are accepted in a message', () => {
  const NOW = Date.UTC(2026, 0, 1)

  it.each([maxEpochAt, maxIndexAt])('increase with the clock, and are safe integers (%#)', (bound) => {
    expect(bound(NOW + 1000)).toBeGreaterThan(bound(NOW))
    expect(Number.isSafeInteger(bound(NOW))).toBe(true)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0, 1e300])(
    'are far from the largest integers if the clock returns %d',
    (now) => {
      expect(maxEpochAt(now)).toBeGreaterThanOrEqual(2 ** 20)
      expect(maxEpochAt(now)).toBeLessThan(2 ** 32 - 2 ** 19)
      expect(maxIndexAt(now)).toBeGreaterThanOrEqual(2 ** 40)
      expect(maxIndexAt(now)).toBeLessThan(2 ** 53 - 2 ** 39)
    },
  )
})

describe('an epoch that began from data which may differ from the log', () => {
  const REBASED: History = [FIRST, { ...SECOND, rebase: true }]

  it('is detected by a cluster that does not have the epoch', () => {
    expect(hasUnknownRebase([FIRST], REBASED)).toBe(true)
    expect(hasUnknownRebase(REBASED, REBASED)).toBe(false)
    expect(hasUnknownRebase([FIRST], HISTORY)).toBe(false)
  })

  it("has data equal to the log only from the epoch's first index on", () => {
    expect(exactFrom(REBASED)).toBe(11)
    expect(exactFrom(HISTORY)).toBe(0)
  })
})

it('the index of a log entry is counted from the start of its epoch', () => {
  const short = SECOND.origin.slice(0, 16)
  const place = { epoch: 2, origin: short }
  expect([setIndexOf(HISTORY, place, 1), setIndexOf(HISTORY, { ...place, epoch: 3 }, 1)]).toEqual([11, undefined])
})
