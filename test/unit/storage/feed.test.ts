import { describe, expect, it, vi } from 'vitest'
import { changeFeed } from '../../../src/core/storage/feed.ts'
import type { Change } from '../../../src/core/storage/port.ts'

describe('changeFeed', () => {
  it('replays remembered changes to a late watcher and sends null keys for forgotten ones', () => {
    const feed = changeFeed(10, 4)
    for (let revision = 11; revision <= 30; revision++) feed.announce({ revision, keys: [`k/${revision}`] })
    const told: Change[] = []
    feed.watch('k/', 28, (change) => told.push(change))
    expect(told.map((change) => change.revision)).toEqual([29, 30])
    told.length = 0
    feed.watch('', 12, (change) => told.push(change))
    expect(told[0]?.keys).toBeNull()
    expect(told.at(-1)).toEqual({ revision: 30, keys: ['k/30'] })
  })

  it('sends null keys at once to a watcher that starts before the first known revision', () => {
    const told: Change[] = []
    changeFeed(10).watch('k/', 3, (change) => told.push(change))
    expect(told).toEqual([{ revision: 10, keys: null }])
  })

  it('keeps the order if a watcher announces a change in its callback', () => {
    const feed = changeFeed(0)
    const [first, second]: [number[], number[]] = [[], []]
    feed.watch('', 0, ({ revision }) => {
      first.push(revision)
      if (revision < 5) feed.announce({ revision: revision + 1, keys: ['a'] })
    })
    feed.watch('', 0, ({ revision }) => second.push(revision))
    feed.announce({ revision: 1, keys: ['a'] })
    expect(first).toEqual([1, 2, 3, 4, 5])
    expect(second).toEqual([1, 2, 3, 4, 5])
  })

  it('notifies the other watchers if one throws', () => {
    const late = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined)
    const feed = changeFeed(0)
    const told: Change[] = []
    feed.watch('', 0, () => {
      throw new Error('broken watcher')
    })
    feed.watch('', 0, (change) => told.push(change))
    feed.announce({ revision: 1, keys: ['a'] })
    expect(told).toHaveLength(1)
    expect(late.mock.calls[0]?.[0]).toThrow('broken watcher')
    late.mockRestore()
  })

  it('allows a watcher to stop in its callback and ignores repeated announcements', () => {
    const feed = changeFeed(0)
    const told: Change[] = []
    const stop = feed.watch('', 0, (change) => {
      told.push(change)
      stop()
    })
    feed.announce({ revision: 1, keys: ['a'] })
    feed.announce({ revision: 1, keys: ['b'] })
    feed.announce({ revision: 2, keys: ['a'] })
    expect(told).toEqual([{ revision: 1, keys: ['a'] }])
    expect(feed.revision).toBe(2)
  })
})
