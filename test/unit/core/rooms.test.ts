import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { bufferPool } from '../../../src/core/base/buffer-pool.ts'

const LONG = 300_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** The garbage collector may need several rounds, and finalizers run later. */
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

const shared = (a: Uint8Array, b: Uint8Array): boolean => a.buffer === b.buffer

const takeBuffer = (length = LONG): Uint8Array => bufferPool.take(length)

describe('a pooled buffer', () => {
  it('is reused for a value of similar length only after its release', () => {
    const first = takeBuffer()
    const second = takeBuffer()
    expect(shared(second, first)).toBe(false)
    bufferPool.release(first)
    expect(shared(takeBuffer(LONG + 100), first)).toBe(true)
    expect(shared(takeBuffer(), first)).toBe(false)
  })

  it('has exactly the requested length', () => {
    bufferPool.release(takeBuffer(400_000))
    for (const length of [0, 1, 131_072, 131_073, 350_000, 400_000, 10_000_000])
      expect(bufferPool.take(length).length).toBe(length)
  })

  it('is taken by one value only, even if it or a foreign buffer is released twice', () => {
    const room = takeBuffer()
    expect(bufferPool.isTaken(room)).toBe(true)
    for (const foreign of [new Uint8Array(LONG), room.subarray(1), bufferPool.take(100)]) {
      expect(bufferPool.isTaken(foreign)).toBe(false)
      bufferPool.release(foreign)
    }
    bufferPool.release(room)
    expect(bufferPool.isTaken(room)).toBe(false)
    bufferPool.release(room)
    expect(shared(takeBuffer(), room)).toBe(true)
    expect(shared(takeBuffer(), room)).toBe(false)
  })

  it('is not reused for a value of less than half its length', () => {
    const room = takeBuffer(2_000_000)
    bufferPool.release(room)
    expect(shared(takeBuffer(900_000), room)).toBe(false)
    expect(shared(takeBuffer(1_900_000), room)).toBe(true)
  })
})

it('hasSeveralUsers of the buffer pool is true only while at least five buffers are in use', async () => {
  await collectedUntil(() => !bufferPool.hasSeveralUsers)
  const some = Array.from({ length: 5 }, () => takeBuffer())
  expect(bufferPool.hasSeveralUsers).toBe(true)
  bufferPool.release(some[0]!)
  expect(bufferPool.hasSeveralUsers).toBe(false)
  ;(() => void Array.from({ length: 9 }, () => takeBuffer()))()
  expect(bufferPool.hasSeveralUsers).toBe(true)
  await collectedUntil(() => !bufferPool.hasSeveralUsers)
  for (const room of some) bufferPool.release(room)
})

it('the buffer pool keeps at most 32 MiB of released buffers', () => {
  const many = Array.from({ length: 60 }, () => takeBuffer(1_048_576))
  for (const room of many) bufferPool.release(room)
  const buffers = new Set(many.map(({ buffer }) => buffer))
  const again = Array.from({ length: 60 }, () => takeBuffer(1_048_576))
  expect(again.filter(({ buffer }) => buffers.has(buffer)).length).toBeLessThanOrEqual(32)
  expect(again.filter(({ buffer }) => buffers.has(buffer)).length).toBeGreaterThan(16)
})

it('the buffer pool lets the garbage collector free released buffers', async () => {
  const kept = (() => {
    const room = takeBuffer(4_000_000)
    bufferPool.release(room)
    return new WeakRef(room.buffer)
  })()
  await collectedUntil(() => kept.deref() === undefined)
})
