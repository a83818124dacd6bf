import { describe, expect, it } from 'vitest'
import { FreshSingleFlight } from '../../../src/core/storage/fresh-single-flight.ts'

/** Calls that the test completes. */
function questions() {
  const open: { resolve(answer: number): void; reject(error: Error): void }[] = []
  const ask = () => new Promise<number>((resolve, reject) => open.push({ resolve, reject }))
  return { open, ask }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('FreshSingleFlight', () => {
  it('calls once for the first caller, and once more for all callers that arrive during that call', async () => {
    const { open, ask } = questions()
    const answer = new FreshSingleFlight<number>()
    const first = answer.run(ask)
    const later = Array.from({ length: 5 }, () => answer.run(ask))
    expect(open).toHaveLength(1)
    open[0]!.resolve(1)
    expect(await first).toBe(1)
    await turn()
    expect(open).toHaveLength(2)
    open[1]!.resolve(2)
    expect(await Promise.all(later)).toEqual([2, 2, 2, 2, 2])
    const last = answer.run(ask)
    open[2]!.resolve(3)
    expect(await last).toBe(3)
  })

  it('rejects only the callers of a failed call, and calls again for later ones', async () => {
    const { open, ask } = questions()
    const answer = new FreshSingleFlight<number>()
    const first = answer.run(ask)
    const later = answer.run(ask)
    open[0]!.reject(new Error('away'))
    await expect(first).rejects.toThrow('away')
    await turn()
    open[1]!.resolve(2)
    expect(await later).toBe(2)
  })

  it('starts the next call without waiting for one that takes too long', async () => {
    const { open, ask } = questions()
    let over: () => void = () => {}
    const patience = () =>
      new Promise<void>((resolve) => {
        over = resolve
      })
    const answer = new FreshSingleFlight<number>(patience)
    const stuck = answer.run(ask)
    const later = answer.run(ask)
    over()
    await turn()
    open[1]!.resolve(2)
    expect(await later).toBe(2)
    open[0]!.resolve(1)
    expect(await stuck).toBe(1)
  })

  it('shares a waiting call with a caller that arrives before it starts', async () => {
    const { open, ask } = questions()
    const answer = new FreshSingleFlight<number>()
    const first = answer.run(ask)
    const later = answer.run(ask)
    open[0]!.resolve(1)
    // This runs after the first call has completed and before the second one starts.
    const newest = first.then(() => answer.run(ask))
    await turn()
    expect(open).toHaveLength(2)
    open[1]!.resolve(2)
    expect(await Promise.all([later, newest])).toEqual([2, 2])
  })
})
