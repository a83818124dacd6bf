import { describe, expect, it } from 'vitest'
import type { CounterKind } from '../../../src/core/contract/counter.ts'
import { type CounterRegistry, StoredCounter } from '../../../src/core/transaction/counter.ts'
import type { Keyspace } from '../../../src/core/transaction/keyspace.ts'
import { Reservations } from '../../../src/core/transaction/reservations.ts'
import type { Store } from '../../../src/core/transaction/store.ts'

const KIND = {
  record: { folder: 'count' },
  of: { folder: 'version' },
  limit: 1_000_000,
  warnFrom: 900_000,
  near: 'near the limit',
  spent: 'at the limit',
} as unknown as CounterKind

const PLACE = { prefix: ({ folder }: { folder: string }) => `r/m/${folder}/`, fences: [] } as unknown as Keyspace

/** Fails the test if a counter accesses the store. */
const HOME: CounterRegistry = {
  host: new Proxy({} as CounterRegistry['host'], {
    get: () => {
      throw new Error('nothing is reserved in this test')
    },
  }),
  reservations: new Reservations({} as Store),
  keep: () => {},
  track: () => {},
}

const counter = (): StoredCounter => new StoredCounter(HOME, PLACE, KIND, 'key', 1)

describe('a stored counter that has reserved uses', () => {
  it('returns the stored count minus its unused reservation', () => {
    const firstCounter = counter()
    firstCounter.grant(100, 1_100)
    expect(firstCounter.usedOf(1_100)).toBe(1_000)
    for (let use = 0; use < 10; use++) expect(firstCounter.take()).toBe(true)
    expect(firstCounter.usedOf(1_100)).toBe(1_010)
  })

  it('returns at least the true count if the given stored count is older than its reservation', () => {
    const firstCounter = counter()
    firstCounter.grant(100, 1_100)
    expect(firstCounter.usedOf(1_000)).toBe(1_000)
  })

  it('counts the reservations of other processes in a newer stored count as used', () => {
    const firstCounter = counter()
    firstCounter.grant(100, 1_100)
    expect(firstCounter.usedOf(5_000)).toBe(4_900)
  })

  it('permits a use only if one is reserved', () => {
    const firstCounter = counter()
    expect(firstCounter.take()).toBe(false)
    firstCounter.grant(1, 1)
    expect(firstCounter.take()).toBe(true)
    expect(firstCounter.take()).toBe(false)
    firstCounter.putBack(1)
    expect(firstCounter.take()).toBe(true)
  })

  it('when emptied returns its remaining uses and counts them as made', () => {
    const firstCounter = counter()
    firstCounter.grant(100, 100)
    expect(firstCounter.empty()).toBe(100)
    expect([firstCounter.left, firstCounter.used]).toEqual([0, 100])
  })
})
