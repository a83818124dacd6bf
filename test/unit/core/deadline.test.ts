import { beforeEach, describe, expect, it } from 'vitest'
import { Deadline, NoAnswer } from '../../../src/core/base/deadline.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'

let clock: FakeClock
let closing: AbortController
let deadline: Deadline
beforeEach(() => {
  clock = fakeClock()
  closing = new AbortController()
  deadline = new Deadline(clock, 1000, closing.signal)
})

const inTime = async <T>(ms: number, value: T): Promise<T> => {
  await clock.sleep(ms)
  return value
}
const refusal = (work: Promise<unknown>): Promise<unknown> => work.then(() => undefined).catch((error: unknown) => error)

describe('Deadline.call', () => {
  it('returns the result of the call and leaves no timer running', async () => {
    expect(await deadline.call({ name: 'x', call: () => 7 })).toBe(7)
    const later = deadline.call({ name: 'x', call: () => inTime(999, 8) })
    await clock.advance(999)
    expect(await later).toBe(8)
    expect(clock.sleeping).toBe(0)
  })

  it('rejects with the error that the call throws or rejects with', async () => {
    const thrown = new Error('thrown')
    const call = () => {
      throw thrown
    }
    expect(await refusal(deadline.call({ name: 'x', call }))).toBe(thrown)
    expect(await refusal(deadline.call({ name: 'x', call: () => Promise.reject(thrown) }))).toBe(thrown)
    expect(clock.sleeping).toBe(0)
  })

  it('fails at the deadline, aborts the signal of the call and passes a late result to `late`', async () => {
    const cleaned: unknown[] = []
    let callSignal: AbortSignal | undefined
    const call = (signal: AbortSignal): Promise<string> => {
      callSignal = signal
      return inTime(5000, 'resource')
    }
    const late = async (answer: unknown) => {
      cleaned.push(answer)
      throw new Error('nobody hears of it')
    }
    const outcome = refusal(deadline.call({ name: 'ports.x', call, late }))
    await clock.advance(999)
    expect(callSignal?.aborted).toBe(false)
    await clock.advance(1)
    expect(await outcome).toBeInstanceOf(NoAnswer)
    expect(String(await outcome)).toContain('ports.x did not answer within 1000 milliseconds')
    expect(callSignal?.aborted).toBe(true)
    expect(cleaned).toEqual([])
    await clock.advance(5000)
    expect(cleaned).toEqual(['resource'])
  })

  it('lets running calls continue until their deadline at close, and starts no further call', async () => {
    let begun = 0
    let callSignal: AbortSignal | undefined
    const call = (signal: AbortSignal) => {
      begun++
      callSignal = signal
      return new Promise(() => {})
    }
    const running = refusal(deadline.call({ name: 'x', call }))
    const quick = deadline.call({ name: 'x', call: () => inTime(999, 1) })
    closing.abort()
    expect(callSignal?.aborted).toBe(true)
    await clock.advance(1000)
    expect(await quick).toBe(1)
    expect(await running).toBeInstanceOf(NoAnswer)
    expect(await refusal(deadline.call({ name: 'x', call }))).toBeInstanceOf(NoAnswer)
    expect(begun).toBe(1)
    expect(clock.sleeping).toBe(0)
  })

  it('waits until the deadline for a call with beyondClose that starts before or after close', async () => {
    const running = deadline.call({ name: 'x', call: () => inTime(500, 1), beyondClose: true })
    closing.abort()
    const begun = deadline.call({ name: 'x', call: () => inTime(500, 2), beyondClose: true })
    const never = refusal(deadline.call({ name: 'x', call: () => new Promise(() => {}), beyondClose: true }))
    await clock.advance(1000)
    expect(await Promise.all([running, begun])).toEqual([1, 2])
    expect(await never).toBeInstanceOf(NoAnswer)
  })
})

describe('Deadline.waitForStorage', () => {
  it('waits without a limit before close', async () => {
    const slow = deadline.waitForStorage('the storage', inTime(50_000, 1))
    await clock.advance(50_000)
    expect(await slow).toBe(1)
    expect(clock.sleeping).toBe(0)
  })

  it('waits only for the duration of the deadline after close', async () => {
    const quick = deadline.waitForStorage('the storage', inTime(10_999, 1))
    const hung = refusal(deadline.waitForStorage('the storage', new Promise(() => {})))
    await clock.advance(10_000)
    closing.abort()
    const later = refusal(deadline.waitForStorage('the storage', new Promise(() => {})))
    await clock.advance(1000)
    expect(await quick).toBe(1)
    expect(await hung).toBeInstanceOf(NoAnswer)
    expect(await later).toBeInstanceOf(NoAnswer)
  })

  it('rejects with the error of the storage', async () => {
    const thrown = new Error('thrown')
    expect(await refusal(deadline.waitForStorage('the storage', Promise.reject(thrown)))).toBe(thrown)
    closing.abort()
    expect(await refusal(deadline.waitForStorage('the storage', Promise.reject(thrown)))).toBe(thrown)
  })
})
