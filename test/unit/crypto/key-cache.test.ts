import { describe, expect, it } from 'vitest'
import { type CacheableKey, KeyCache } from '../../../src/core/crypto/key-cache.ts'

class FakeKey implements CacheableKey {
  memoryBytes: number
  isWiped = false

  constructor(memoryBytes = 100) {
    this.memoryBytes = memoryBytes
  }

  wipe(): void {
    this.isWiped = true
  }
}

const cacheOf = (keys: number, bytes: number) => new KeyCache<FakeKey>({ keys, bytes })

function add(cache: KeyCache<FakeKey>, owner: string, key = new FakeKey()): FakeKey {
  cache.add(owner, 1, key, cache.generation).unpin()
  return key
}

describe('a cache of keys', () => {
  it('evicts and wipes keys when their memory exceeds the limit', () => {
    const cache = cacheOf(100, 1_000)
    const keys = Array.from({ length: 25 }, (_, i) => add(cache, `k${i}`))
    expect(keys.filter(({ isWiped }) => !isWiped)).toHaveLength(10)
    expect(cache.use).toMatchObject({ keys: 10, bytes: 1_000, misses: 25 })
  })

  it('evicts and wipes keys when their number exceeds the limit', () => {
    const cache = cacheOf(3, 1_000)
    const keys = Array.from({ length: 5 }, (_, i) => add(cache, `k${i}`))
    expect(keys.filter(({ isWiped }) => !isWiped)).toHaveLength(3)
  })

  it('keeps keys that are used often while many others are used once', () => {
    const cache = cacheOf(10, 10_000)
    const often = [add(cache, 'a'), add(cache, 'b')]
    for (let i = 0; i < 500; i++) {
      add(cache, `once${i}`)
      cache.get('a', 1)
      cache.get('b', 1)
    }
    expect(often.map(({ isWiped }) => isWiped)).toEqual([false, false])
  })

  it('counts the memory of a key that grows, and evicts others after the run that uses it', async () => {
    const cache = cacheOf(100, 1_000)
    const keys = Array.from({ length: 10 }, (_, i) => add(cache, `k${i}`))
    keys[9]!.memoryBytes = 600
    expect(cache.get('k9', 1)?.value).toBe(keys[9])
    expect(keys.some(({ isWiped }) => isWiped)).toBe(false)
    await Promise.resolve()
    expect(cache.use.bytes).toBeLessThanOrEqual(1_000)
    expect(keys.filter(({ isWiped }) => isWiped).length).toBeGreaterThanOrEqual(5)
  })

  it('keeps a pinned key usable after its eviction, and wipes it when it is unpinned', () => {
    const cache = cacheOf(1, 1_000)
    const key = new FakeKey()
    const pinned = cache.add('a', 1, key, cache.generation)
    add(cache, 'b')
    expect([cache.get('a', 1), key.isWiped]).toEqual([undefined, false])
    pinned.unpin()
    expect(key.isWiped).toBe(true)
  })

  it('counts hits and misses', () => {
    const cache = cacheOf(10, 1_000)
    add(cache, 'a')
    cache.get('a', 1)
    cache.get('a', 1)
    cache.get('absent', 1)
    expect(cache.use).toEqual({ keys: 1, bytes: 100, hits: 2, misses: 1 })
  })

  it('wipes all versions of a key that is dropped, and all keys when it is cleared', () => {
    const cache = cacheOf(10, 1_000)
    const [first, second] = [new FakeKey(), new FakeKey()]
    cache.add('a', 1, first, cache.generation).unpin()
    cache.add('a', 2, second, cache.generation).unpin()
    const other = add(cache, 'b')
    cache.drop('a')
    expect([first.isWiped, second.isWiped, other.isWiped]).toEqual([true, true, false])
    cache.clear()
    expect([other.isWiped, cache.use.keys, cache.use.bytes]).toEqual([true, 0, 0])
  })
})
