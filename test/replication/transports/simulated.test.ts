/**
 * Each fault of the simulated network, and repeatability by seed.
 */
import { describe, expect, it } from 'vitest'
import { fakeClock, type SimulatedNetwork, type SimulatedNetworkOptions, simulatedNetwork } from '../../../src/testing/index.ts'
import { bytesOf, never } from './suite.ts'

const START = Date.UTC(2026, 0, 1)

/** Sends a numbered request every millisecond, and returns all events with their times. */
async function history(options: Omit<SimulatedNetworkOptions, 'clock'>, requests = 40, handlerTakes = 0): Promise<string[]> {
  const clock = fakeClock(START)
  const network = simulatedNetwork({ clock, ...options })
  const events: string[] = []
  const record = (what: string): void => void events.push(`${clock.now() - START} ${what}`)
  await network.at('a').listen('a', async (message) => {
    record(`handles ${message[0]}`)
    if (handlerTakes > 0) await clock.sleep(handlerTakes)
    return message
  })
  for (let n = 0; n < requests; n++) {
    network
      .at('b')
      .request('a', Uint8Array.of(n), never())
      .then(
        ([answered]) => record(`answers ${answered}`),
        () => record(`rejects ${n}`),
      )
    await clock.advance(1)
  }
  await clock.advance(10_000)
  return events
}

const timesOf = (events: readonly string[], what: string): number[] =>
  events.filter((event) => event.includes(what)).map((event) => Number(event.split(' ')[2]))

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

const EVERYTHING = { delayMs: [2, 30], loss: 0.2, duplicate: 0.3, reorder: 0.3 } as const

describe('a simulated network', () => {
  it('behaves identically with the same seed, and differently with another seed', async () => {
    const first = await history({ seed: 'one', ...EVERYTHING })
    expect(await history({ seed: 'one', ...EVERYTHING })).toEqual(first)
    expect(await history({ seed: 'two', ...EVERYTHING })).not.toEqual(first)
  })

  it('loses the same messages whether its handlers take long or not', async () => {
    const quick = timesOf(await history({ seed: 3, loss: 0.4, delayMs: 5 }), 'answers')
    expect(quick.length).toBeGreaterThan(0)
    expect(timesOf(await history({ seed: 3, loss: 0.4, delayMs: 5 }, 40, 17), 'answers')).toEqual(quick)
  })

  it('delivers everything immediately and in order if no faults are configured', async () => {
    const events = await history({ seed: 1 })
    expect(timesOf(events, 'handles')).toEqual(numbers(40))
    expect(timesOf(events, 'answers')).toEqual(numbers(40))
    for (const [at, event] of events.entries()) expect(Number(event.split(' ')[0])).toBe(Math.floor(at / 2))
  })

  it('delays a message and its answer', async () => {
    expect(await history({ seed: 1, delayMs: 7 }, 1)).toEqual(['7 handles 0', '14 answers 0'])
  })

  it('delays messages by random times from the whole configured range', async () => {
    const events = await history({ seed: 1, delayMs: [3, 6] }, 200)
    const delays = events
      .filter((event) => event.includes('handles'))
      .map((event) => Number(event.split(' ')[0]) - Number(event.split(' ')[2]))
    expect([...new Set(delays)].sort()).toEqual([3, 4, 5, 6])
    expect(delays).toHaveLength(200)
  })

  it('loses messages and answers with the configured probability', async () => {
    const events = await history({ seed: 5, loss: 0.5 }, 200)
    const [handled, answered] = [timesOf(events, 'handles'), timesOf(events, 'answers')]
    expect(handled.length).toBeGreaterThan(70)
    expect(handled.length).toBeLessThan(130)
    expect(answered.length).toBeGreaterThan(30)
    expect(answered.length).toBeLessThan(70)
    for (const n of answered) expect(handled).toContain(n)
    expect(timesOf(events, 'rejects')).toEqual([])
    expect(await history({ seed: 5, loss: 1 })).toEqual([])
  })

  it('delivers a duplicated message twice to the handler, but only one answer to the requester', async () => {
    const events = await history({ seed: 1, duplicate: 1, delayMs: [1, 20] })
    for (const n of numbers(40)) expect(timesOf(events, 'handles').filter((time) => time === n)).toHaveLength(2)
    expect(timesOf(events, 'answers').sort((a, b) => a - b)).toEqual(numbers(40))
    const some = timesOf(await history({ seed: 1, duplicate: 0.5 }, 200), 'handles').length
    expect(some).toBeGreaterThan(270)
    expect(some).toBeLessThan(330)
  })

  it('delivers a reordered message after later ones, and loses no message', async () => {
    const events = await history({ seed: 1, reorder: 0.2, delayMs: 3 })
    const handled = timesOf(events, 'handles')
    expect(handled).not.toEqual(numbers(40))
    expect([...handled].sort((a, b) => a - b)).toEqual(numbers(40))
    expect(timesOf(events, 'answers')).toHaveLength(40)
    // A reordered message is delayed by the maximum delay plus 1 ms, during which four later ones arrive.
    for (const event of events.filter((event) => event.includes('handles'))) {
      const [time, , n] = event.split(' ')
      expect([3, 7]).toContain(Number(time) - Number(n))
    }
  })
})

async function three(): Promise<{
  network: SimulatedNetwork
  clock: ReturnType<typeof fakeClock>
  reaches: (from: string, to: string) => Promise<boolean>
}> {
  const clock = fakeClock()
  const network = simulatedNetwork({ clock, seed: 1, delayMs: 5 })
  for (const name of ['a', 'b', 'c']) await network.at(name).listen(name, async (message) => message)
  const reaches = async (from: string, to: string): Promise<boolean> => {
    const stop = new AbortController()
    const pending = network
      .at(from)
      .request(to, bytesOf(1), stop.signal)
      .then(
        () => true,
        (error: unknown) => (error === 'given up' ? false : Promise.reject(error)),
      )
    await clock.advance(60_000)
    stop.abort('given up')
    return pending
  }
  return { network, clock, reaches }
}

describe('a partition of a simulated network', () => {
  it('loses all messages between its two groups and no others, until it heals', async () => {
    const { network, reaches } = await three()
    network.partition(['a'], ['b'])
    expect([await reaches('a', 'b'), await reaches('b', 'a')]).toEqual([false, false])
    expect([await reaches('a', 'c'), await reaches('c', 'b'), await reaches('a', 'a')]).toEqual([true, true, true])
    network.partition(['c'], ['a', 'b'])
    expect([await reaches('c', 'a'), await reaches('b', 'c'), await reaches('a', 'b')]).toEqual([false, false, false])
    network.heal()
    for (const from of ['a', 'b', 'c']) for (const to of ['a', 'b', 'c']) expect(await reaches(from, to)).toBe(true)
  })

  it('drops messages that are sent during it, even if it heals before their arrival', async () => {
    const { network, clock } = await three()
    network.partition(['a'], ['b'])
    let settled = false
    const stop = new AbortController()
    const pending = network.at('a').request('b', bytesOf(1), stop.signal)
    pending.catch(() => {}).finally(() => (settled = true))
    await clock.advance(1)
    network.heal()
    await clock.advance(60_000)
    expect(settled).toBe(false)
    stop.abort('given up')
    await expect(pending).rejects.toBe('given up')
  })

  it('drops messages and answers that are in flight at its beginning', async () => {
    for (const [after, handled] of [
      [2, 0],
      [7, 1],
    ] as const) {
      const clock = fakeClock()
      const network = simulatedNetwork({ clock, seed: 1, delayMs: 5 })
      let [calls, settled] = [0, false]
      await network.at('a').listen('a', async (message) => {
        calls++
        return message
      })
      const stop = new AbortController()
      const pending = network.at('b').request('a', bytesOf(1), stop.signal)
      pending.then(
        () => (settled = true),
        () => {},
      )
      await clock.advance(after)
      network.partition(['b'], ['a'])
      await clock.advance(1000)
      // Dropped messages stay lost.
      network.heal()
      await clock.advance(1000)
      expect([calls, settled]).toEqual([handled, false])
      stop.abort('given up')
      await expect(pending).rejects.toBe('given up')
    }
  })
})

describe('a request over a simulated network', () => {
  it('is not delivered after it was aborted, and leaves no timer', async () => {
    const clock = fakeClock()
    const network = simulatedNetwork({ clock, seed: 1, delayMs: 5, duplicate: 1 })
    let calls = 0
    await network.at('a').listen('a', async (message) => {
      calls++
      return message
    })
    for (const [after, handled] of [
      [2, 0],
      [7, 2],
    ] as const) {
      const stop = new AbortController()
      const pending = network.at('b').request('a', bytesOf(1), stop.signal)
      await clock.advance(after)
      expect(clock.sleeping).toBeGreaterThan(0)
      stop.abort('given up')
      await expect(pending).rejects.toBe('given up')
      await clock.advance(0)
      expect([clock.sleeping, calls]).toEqual([0, handled])
    }
  })

  it('is delivered as a duplicate even if it is aborted after the first answer', async () => {
    const clock = fakeClock()
    const network = simulatedNetwork({ clock, seed: 1, delayMs: [1, 1000], duplicate: 1 })
    let calls = 0
    await network.at('a').listen('a', async (message) => {
      calls++
      return message
    })
    for (let n = 1; n <= 10; n++) {
      const stop = new AbortController()
      const pending = network.at('b').request('a', bytesOf(1), stop.signal)
      void pending.then(() => stop.abort())
      await clock.advance(5000)
      await pending
      expect(calls).toBe(2 * n)
    }
  })

  it('is rejected after the delay if nothing listens at the address when it arrives', async () => {
    const clock = fakeClock(START)
    const network = simulatedNetwork({ clock, seed: 1, delayMs: 5 })
    const rejected = (): Promise<number> =>
      network
        .at('b')
        .request('a', bytesOf(1), never())
        .then(
          () => -1,
          () => clock.now(),
        )
    const nowhere = rejected()
    await clock.advance(100)
    expect(await nowhere).toBe(START + 10)
    const on = await network.at('a').listen('a', async (message) => message)
    const late = rejected()
    await on.close()
    await clock.advance(100)
    expect(await late).toBe(START + 110)
  })

  it('is distributed over all listeners at its address, on whichever machine they are', async () => {
    const network = simulatedNetwork({ clock: fakeClock(), seed: 1 })
    for (const n of [1, 2, 3]) await network.at(`machine-${n}`).listen('shared', async () => Uint8Array.of(n))
    const answers: number[] = []
    for (let n = 0; n < 6; n++) answers.push(...(await network.at('b').request('shared', bytesOf(1), never())))
    for (const n of [1, 2, 3]) expect(answers.filter((answer) => answer === n)).toHaveLength(2)
  })
})

describe('simulatedNetwork', () => {
  it('refuses invalid options with a TypeError', () => {
    const clock = fakeClock()
    for (const options of [
      { clock: {} },
      { clock: undefined },
      { clock, loss: -0.1 },
      { clock, loss: 1.1 },
      { clock, duplicate: '1' },
      { clock, reorder: Number.NaN },
      { clock, delayMs: -1 },
      { clock, delayMs: 1.5 },
      { clock, delayMs: [5, 1] },
      { clock, delayMs: [1] },
      { clock, delayMs: Number.POSITIVE_INFINITY },
    ])
      expect(() => simulatedNetwork({ seed: 1, ...options } as never)).toThrow(TypeError)
    const network = simulatedNetwork({ clock, seed: 1 })
    expect(() => network.at('')).toThrow(TypeError)
    expect(() => network.partition('a' as never, ['b'])).toThrow(TypeError)
  })
})
