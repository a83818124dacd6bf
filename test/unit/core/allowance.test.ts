import { describe, expect, it } from 'vitest'
import { Allowance } from '../../../src/core/base/allowance.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'

const refused = expect.objectContaining({ code: 'ERR_TOO_MANY_REQUESTS', status: 429 })

describe('Allowance', () => {
  it('grants as many units as configured and refuses the next one with 429', () => {
    const allowance = new Allowance(fakeClock(), 2)
    allowance.take()
    allowance.take()
    expect(() => allowance.take()).toThrow(refused)
  })

  it('regains units over time up to its maximum', async () => {
    const clock = fakeClock()
    const allowance = new Allowance(clock, 2, 3)
    allowance.take(3)
    await clock.advance(500)
    allowance.take(1)
    expect(() => allowance.take(1)).toThrow(refused)
    await clock.advance(3_600_000)
    expect(() => allowance.take(4)).toThrow(refused)
    allowance.take(3)
  })

  it('without a refill grants a unit again only after giveBack, and never more than its maximum', () => {
    const allowance = new Allowance(fakeClock(), 1)
    allowance.take()
    expect(() => allowance.take()).toThrow(refused)
    allowance.giveBack()
    allowance.take()
    allowance.giveBack(5)
    expect(() => allowance.take(2)).toThrow(refused)
  })

  it('regains no units when the clock is set back and forward again', async () => {
    let now = 10_000
    const allowance = new Allowance({ now: () => now, sleep: async () => {} }, 1)
    allowance.take()
    now = 0
    expect(() => allowance.take()).toThrow(refused)
    now = 500
    expect(() => allowance.take()).toThrow(refused)
    now = 1_000
    allowance.take()
  })
})
