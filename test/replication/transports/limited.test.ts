/** A kernel limits how long each request to another cluster may take, whatever the transport does. */
import { describe, expect, it } from 'vitest'
import { Deadline, NoAnswer } from '../../../src/core/base/deadline.ts'
import type { ReplicationTransport } from '../../../src/index.ts'
import { LimitedTransport } from '../../../src/sys/replication/limited-transport.ts'
import { fakeClock } from '../../../src/testing/index.ts'

const LIMIT_MS = 1000

const MESSAGE = Uint8Array.of(1)

function limited(request: ReplicationTransport['request']) {
  const clock = fakeClock()
  const closing = new AbortController()
  const deadline = new Deadline(clock, LIMIT_MS, closing.signal)
  const signals: AbortSignal[] = []
  const listen = async () => ({ address: 'here', close: async () => {} })
  const transport = new LimitedTransport(
    {
      listen,
      request: (address, bytes, signal) => {
        signals.push(signal)
        return request(address, bytes, signal)
      },
    },
    { clock, deadline, closing: closing.signal },
  )
  return { clock, closing, signals, transport }
}

const never = (): Promise<Uint8Array> => new Promise(() => {})

const outcomeOf = (work: Promise<unknown>) => {
  const outcome: { value?: unknown; error?: unknown } = {}
  work.then(
    (value) => {
      outcome.value = value
    },
    (error: unknown) => {
      outcome.error = error
    },
  )
  return outcome
}

describe('a request to another cluster', () => {
  it('has no timer if it is answered within a turn of the event loop', async () => {
    const { clock, transport } = limited(async (_, bytes) => bytes)
    expect(await transport.request('there', MESSAGE)).toEqual(MESSAGE)
    await clock.advance(0)
    expect(clock.sleeping).toBe(0)
  })

  it('fails after the time limit, and its signal is aborted', async () => {
    const { clock, signals, transport } = limited(never)
    const outcome = outcomeOf(transport.request('there', MESSAGE))
    await clock.advance(LIMIT_MS - 1)
    expect(outcome).toEqual({})
    await clock.advance(1)
    expect(outcome.error).toBeInstanceOf(NoAnswer)
    expect(signals[0]?.aborted).toBe(true)
    expect(clock.sleeping).toBe(0)
  })

  it('does not share its time limit or its signal with a concurrent request', async () => {
    const { clock, signals, transport } = limited(never)
    const [first] = [outcomeOf(transport.request('there', MESSAGE)), await clock.advance(LIMIT_MS / 2)]
    const second = outcomeOf(transport.request('there', MESSAGE))
    await clock.advance(LIMIT_MS / 2)
    expect(first.error).toBeInstanceOf(NoAnswer)
    expect(second).toEqual({})
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    await clock.advance(LIMIT_MS / 2)
    expect(second.error).toBeInstanceOf(NoAnswer)
  })

  it('gets a signal that was not aborted, after another request has failed', async () => {
    let isDown = true
    const { clock, signals, transport } = limited((_, bytes) => (isDown ? never() : Promise.resolve(bytes)))
    const outcome = outcomeOf(transport.request('there', MESSAGE))
    await clock.advance(LIMIT_MS)
    expect(outcome.error).toBeInstanceOf(NoAnswer)
    isDown = false
    expect(await transport.request('there', MESSAGE)).toEqual(MESSAGE)
    expect(signals[1]?.aborted).toBe(false)
  })

  it('gets its answer if the answer arrives in a later turn within the time limit', async () => {
    let answer = (_: Uint8Array): void => {}
    const { clock, transport } = limited(() => new Promise((resolve) => (answer = resolve)))
    const outcome = outcomeOf(transport.request('there', MESSAGE))
    await clock.advance(LIMIT_MS / 2)
    answer(MESSAGE)
    await clock.advance(0)
    expect(outcome.value).toEqual(MESSAGE)
    expect(clock.sleeping).toBe(0)
  })

  it('is aborted when the kernel closes, and is refused afterwards', async () => {
    const { clock, closing, signals, transport } = limited(
      (_, __, signal) => new Promise((___, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const pending = outcomeOf(transport.request('there', MESSAGE))
    await clock.advance(1)
    closing.abort(new Error('closed'))
    await clock.advance(0)
    expect(pending.error).toEqual(new Error('closed'))
    await expect(transport.request('there', MESSAGE)).rejects.toThrow('the kernel is closed')
    expect(signals).toHaveLength(1)
  })

  it('fails if the transport throws, or resolves with something else than bytes', async () => {
    const failing = limited(() => {
      throw new Error('down')
    })
    await expect(failing.transport.request('there', MESSAGE)).rejects.toThrow('down')
    const { transport } = limited(async () => 'text' as never)
    await expect(transport.request('there', MESSAGE)).rejects.toThrow('resolved with a value of the wrong type')
  })
})
