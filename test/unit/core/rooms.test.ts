/** Memory for long values that is used again. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { rooms } from '../../../src/core/base/rooms.ts'

const LONG = 300_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** The garbage collector may take more than one round, and finalizers run later. */
const collectedUntil = (isThere: () => boolean): Promise<void> =>
  expect
    .poll(
      () => {
        collect()
        return isThere()
      },
      { timeout: 60_000 },
    )
    .toBe(true)

const shared = (one: Uint8Array, other: Uint8Array): boolean => one.buffer === other.buffer

const taken = (length = LONG): Uint8Array => rooms.take(length)

describe('a room', () => {
  it('serves the next value of about the same length when it was given back, and no two at a time', () => {
    const first = taken()
    const beside = taken()
    expect(shared(beside, first)).toBe(false)
    rooms.giveBack(first)
    expect(shared(taken(LONG + 100), first)).toBe(true)
    expect(shared(taken(), first)).toBe(false)
  })

  it('is as long as was asked for', () => {
    rooms.giveBack(taken(400_000))
    for (const length of [0, 1, 131_072, 131_073, 350_000, 400_000, 10_000_000]) expect(rooms.take(length).length).toBe(length)
  })

  it('is taken back once, and only where it is one', () => {
    const room = taken()
    expect(rooms.isTaken(room)).toBe(true)
    for (const foreign of [new Uint8Array(LONG), room.subarray(1), rooms.take(100)]) {
      expect(rooms.isTaken(foreign)).toBe(false)
      rooms.giveBack(foreign)
    }
    rooms.giveBack(room)
    expect(rooms.isTaken(room)).toBe(false)
    rooms.giveBack(room)
    expect(shared(taken(), room)).toBe(true)
    expect(shared(taken(), room)).toBe(false)
  })

  it('does not serve a value that would leave most of it idle', () => {
    const room = taken(2_000_000)
    rooms.giveBack(room)
    expect(shared(taken(900_000), room)).toBe(false)
    expect(shared(taken(1_900_000), room)).toBe(true)
  })
})

it('are many while several calls have some, and no longer when they are given back or lost', async () => {
  await collectedUntil(() => !rooms.areMany)
  const some = Array.from({ length: 5 }, () => taken())
  expect(rooms.areMany).toBe(true)
  rooms.giveBack(some[0]!)
  expect(rooms.areMany).toBe(false)
  ;(() => void Array.from({ length: 9 }, () => taken()))()
  expect(rooms.areMany).toBe(true)
  await collectedUntil(() => !rooms.areMany)
  for (const room of some) rooms.giveBack(room)
})

it('at most 32 MiB are kept', () => {
  const many = Array.from({ length: 60 }, () => taken(1_048_576))
  for (const room of many) rooms.giveBack(room)
  const buffers = new Set(many.map(({ buffer }) => buffer))
  const again = Array.from({ length: 60 }, () => taken(1_048_576))
  expect(again.filter(({ buffer }) => buffers.has(buffer)).length).toBeLessThanOrEqual(32)
  expect(again.filter(({ buffer }) => buffers.has(buffer)).length).toBeGreaterThan(16)
})

it('what is not used from one collection to the next is let go', async () => {
  const kept = (() => {
    const room = taken(4_000_000)
    rooms.giveBack(room)
    return new WeakRef(room.buffer)
  })()
  await collectedUntil(() => kept.deref() === undefined)
})
