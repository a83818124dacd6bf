import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../../src/testing/index.ts'

describe('fakeClock', () => {
  it('returns the same time until it is advanced', async () => {
    const clock = fakeClock(1000)
    const started = clock.now()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(clock.now()).toBe(started)
    await clock.advance(250)
    expect(clock.now()).toBe(1250)
  })

  it('resolves sleeps in the order of their due times', async () => {
    const clock = fakeClock(0)
    const woken: string[] = []
    const sleep = async (name: string, ms: number) => {
      await clock.sleep(ms)
      woken.push(`${name} at ${clock.now()}`)
    }
    const all = Promise.all([sleep('c', 30), sleep('a', 10), sleep('b', 20), sleep('a too', 10)])
    expect(clock.sleeping).toBe(4)
    await clock.advance(25)
    expect(woken).toEqual(['a at 10', 'a too at 10', 'b at 20'])
    await clock.advance(5)
    await all
    expect(woken.at(-1)).toBe('c at 30')
    expect(clock.sleeping).toBe(0)
  })

  it('lets the work after a sleep continue, even to its next sleep, before it resolves another sleep', async () => {
    const clock = fakeClock(0)
    const log: string[] = []
    const loop = async () => {
      for (let i = 1; i <= 4; i++) {
        await clock.sleep(10)
        for (let step = 0; step < 20; step++) await Promise.resolve()
        await clock.sleep(0)
        log.push(`loop ${i} at ${clock.now()}`)
      }
    }
    const other = async () => {
      await clock.sleep(15)
      log.push(`other at ${clock.now()}`)
    }
    const all = Promise.all([loop(), other()])
    await clock.advance(40)
    await all
    expect(log).toEqual(['loop 1 at 10', 'other at 15', 'loop 2 at 20', 'loop 3 at 30', 'loop 4 at 40'])
  })

  it('lets work that has just started reach its sleep before it advances', async () => {
    const clock = fakeClock(0)
    let done = false
    const work = (async () => {
      await Promise.resolve()
      await clock.sleep(0)
      await clock.sleep(10)
      done = true
    })()
    await clock.advance(10)
    expect(done).toBe(true)
    await work
  })

  it('resolves sleep(0) in a later turn of the event loop without being advanced', async () => {
    const clock = fakeClock(0)
    let microtasks = 0
    const count = async () => {
      for (; microtasks < 10; microtasks++) await Promise.resolve()
    }
    const counting = count()
    await clock.sleep(0)
    expect(microtasks).toBe(10)
    expect(clock.now()).toBe(0)
    await counting
  })

  it('can be advanced while a loop of sleep(0) calls waits for the time', async () => {
    const clock = fakeClock(0)
    const spinning = (async () => {
      while (clock.now() < 5) await clock.sleep(0)
    })()
    await clock.advance(5)
    await spinning
  })

  it('rejects a sleep as soon as its signal is aborted', async () => {
    const clock = fakeClock(0)
    const abort = new AbortController()
    const sleep = clock.sleep(10, abort.signal)
    abort.abort(new Error('enough'))
    await expect(sleep).rejects.toThrow('enough')
    expect(clock.sleeping).toBe(0)
    await expect(clock.sleep(10, abort.signal)).rejects.toThrow('enough')
    await expect(clock.sleep(0, abort.signal)).rejects.toThrow('enough')
  })

  it('can be set forward or back without an effect on pending sleeps', async () => {
    const clock = fakeClock(1_000_000)
    let woken = 0
    const sleeping = clock.sleep(100).then(() => woken++)
    clock.set(5_000_000)
    await clock.advance(0)
    expect([clock.now(), woken]).toEqual([5_000_000, 0])
    clock.set(1)
    await clock.advance(99)
    expect([clock.now(), woken]).toEqual([100, 0])
    await clock.advance(1)
    await sleeping
    expect([clock.now(), woken]).toEqual([101, 1])
  })

  it('adds up concurrent advances, and refuses negative ones', async () => {
    const clock = fakeClock(0)
    await Promise.all([clock.advance(10), clock.advance(20)])
    expect(clock.now()).toBe(30)
    expect(() => clock.advance(-1)).toThrow(RangeError)
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
  })
})
