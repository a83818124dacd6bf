/** Work that becomes ready in one turn of the event loop is spread over as many turns as it takes. */
import { expect, it } from 'vitest'
import { isTurnSpent, pause } from '../../../src/adapters/platform-node/pause.ts'

/** Blocks the process, as a long piece of work does. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('pause lets other work run between long tasks that become ready at the same time', async () => {
  const order: string[] = []
  let over = false
  const others = () => {
    order.push('turn')
    if (!over) setImmediate(others)
  }
  setImmediate(others)
  const piece = async (name: string) => {
    await pause()
    work(5)
    order.push(name)
  }
  await Promise.all(['a', 'b', 'c', 'd'].map(piece))
  over = true
  // The pieces keep their order, and other work had a turn between any two of them.
  expect(order.filter((name) => name !== 'turn')).toEqual(['a', 'b', 'c', 'd'])
  for (const [one, next] of [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
  ] as const)
    expect(order.slice(order.indexOf(one), order.indexOf(next))).toContain('turn')
})

it('pause lets short tasks run in the same iteration of the event loop', async () => {
  let turns = 0
  let over = false
  const others = () => {
    turns++
    if (!over) setImmediate(others)
  }
  setImmediate(others)
  await Promise.all(Array.from({ length: 50 }, pause))
  over = true
  expect(turns).toBeLessThan(25)
})

it('isTurnSpent is true from the moment at which long work has used up a turn until the next turn', async () => {
  await pause()
  expect(isTurnSpent()).toBe(false)
  work(5)
  expect(isTurnSpent()).toBe(true)
  await new Promise(setImmediate)
  expect(isTurnSpent()).toBe(false)
})
