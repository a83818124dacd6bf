import { describe, expect, it, vi } from 'vitest'
import { changeFeed } from '../../../src/core/storage/feed.ts'
import type { Change } from '../../../src/core/storage/port.ts'

describe('changeFeed', () => {
  it('sends a late watcher the changes since its revision, and null keys in place of changes that the feed has dropped', () => {
    const feed = changeFeed(10, 4)
    for (let revision = 11; revision <= 30; revision++) feed.announce({ revision, keys: [`k/${revision}`] })
    const received: Change[] = []
    feed.watch('k/', 28, (change) => received.push(change))
    expect(received.map((change) => change.revision)).toEqual([29, 30])
    received.length = 0
    feed.watch('', 12, (change) => received.push(change))
    expect(received[0]?.keys).toBeNull()
    expect(received.at(-1)).toEqual({ revision: 30, keys: ['k/30'] })
  })

  it('sends null keys at once to a watcher whose revision is before the first known one', () => {
    const received: Change[] = []
    changeFeed(10).watch('k/', 3, (change) => received.push(change))
    expect(received).toEqual([{ revision: 10, keys: null }])
  })

  it('sends changes in order to all watchers if one announces a change in its callback', () => {
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
    const received: Change[] = []
    feed.watch('', 0, () => {
      throw new Error('broken watcher')
    })
    feed.watch('', 0, (change) => received.push(change))
    feed.announce({ revision: 1, keys: ['a'] })
    expect(received).toHaveLength(1)
    expect(late.mock.calls[0]?.[0]).toThrow('broken watcher')
    late.mockRestore()
  })

  it('sends nothing to a watcher that has stopped in its callback', () => {
    const feed = changeFeed(0)
    const received: Change[] = []
    const stop = feed.watch('', 0, (change) => {
      received.push(change)
      stop()
    })
    feed.announce({ revision: 1, keys: ['a'] })
    feed.announce({ revision: 1, keys: ['b'] })
    feed.announce({ revision: 2, keys: ['a'] })
    expect(received).toEqual([{ revision: 1, keys: ['a'] }])
    expect(feed.revision).toBe(2)
  })
})
