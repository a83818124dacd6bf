import { beforeEach, describe, expect, it } from 'vitest'
import { Barrier } from '../../../src/core/barrier/barrier.ts'
import { appendTerm, encodeFirstRing, readRing } from '../../../src/core/barrier/key-ring.ts'
import { runToEnd, type Steps } from '../../../src/core/base/steps.ts'
import { nobleCrypto, systemEntropy } from '../../../src/index.ts'

const CRYPTO = nobleCrypto({ accelerate: false })
const KEY = 'r/mount/secret/long'
const VALUE = new Uint8Array(300_000).fill(7)
const FIRST = encodeFirstRing(new Uint8Array(32).fill(3), 0)
const SECOND = appendTerm(FIRST, new Uint8Array(32).fill(4), 1)

let barrier: Barrier
beforeEach(() => {
  barrier = new Barrier(systemEntropy())
  barrier.unseal(readRing(FIRST, CRYPTO))
})

/** Runs steps to their end and calls `meanwhile` once after the first step. */
function finishWith<T>(steps: Steps<T>, meanwhile: () => void): T {
  expect(steps.next().done).toBe(false)
  meanwhile()
  return runToEnd(steps)
}

const rotate = () => barrier.unseal(readRing(SECOND, CRYPTO))

describe('a long value that the barrier encrypts and decrypts in steps', () => {
  it('is decrypted only under the record key for which it was encrypted', () => {
    const record = runToEnd(barrier.encodeSteps(KEY, VALUE))
    expect(Buffer.compare(runToEnd(barrier.decodeSteps(KEY, record)), VALUE)).toBe(0)
    expect(Buffer.compare(barrier.decode(KEY, record), VALUE)).toBe(0)
    expect(() => runToEnd(barrier.decodeSteps(`${KEY}r`, record))).toThrow('damaged')
  })

  it('is encrypted under the new term if the key ring is replaced between two steps', () => {
    const record = finishWith(barrier.encodeSteps(KEY, VALUE), rotate)
    expect(new DataView(record.buffer, record.byteOffset).getUint32(0)).toBe(2)
    expect(Buffer.compare(runToEnd(barrier.decodeSteps(KEY, record)), VALUE)).toBe(0)
  })

  it('is decrypted even if the key ring is replaced between two steps', () => {
    const record = runToEnd(barrier.encodeSteps(KEY, VALUE))
    expect(Buffer.compare(finishWith(barrier.decodeSteps(KEY, record), rotate), VALUE)).toBe(0)
  })

  it('is neither encrypted nor decrypted if the barrier is sealed between two steps', () => {
    const record = runToEnd(barrier.encodeSteps(KEY, VALUE))
    const opening = barrier.decodeSteps(KEY, record)
    expect(() => finishWith(barrier.encodeSteps(KEY, VALUE), () => barrier.seal())).toThrow('sealed')
    expect(() => runToEnd(opening)).toThrow('sealed')
  })
})
