/**
 * Whatever the cloud does at a call, and wherever the process dies: afterwards every user has a lease, nobody has a key that nobody knows, and
 * nothing waits for ever; static roles and the root configuration have a good key at every moment.
 */
import { describe, expect, it } from 'vitest'
import { SLOW } from '../property/support.ts'
import { AFTERMATHS, type Aftermath, begun, cellsOf, goWrong, pointsOf, suffer } from './cloud-cells.ts'
import { WORKS } from './cloud-works.ts'

/** Every fourth way of the calls with one of the aftermaths, in turn; with `SLOW` every cell. */
const sampled = <T extends { readonly then: Aftermath }>(cells: readonly T[]): readonly T[] =>
  cells.filter(({ then }, at) => {
    const way = Math.floor(at / AFTERMATHS.length)
    return SLOW || (way % 4 === 0 && AFTERMATHS.indexOf(then) === (way / 4) % AFTERMATHS.length)
  })

describe.each(await Promise.all(WORKS.map(async (work) => ({ ...work, points: await pointsOf(work) }))))('$name', (work) => {
  it.each(sampled(cellsOf(work.points)))('$call $what, $then', (cell) => goWrong(work, cell))

  const ways = work.points.map((point, at) => ({ ...point, at })).filter(({ call }) => call !== 'read')
  const deaths = ways.flatMap((way) => AFTERMATHS.map((then) => ({ ...way, then })))
  it.each(sampled(deaths))('dies $when $call ($at), $then', async ({ at, then }) => {
    const { world, process } = await begun(work)
    let passed = 0
    const died = new Promise<void>((resolve) => {
      process.at(() => {
        if (passed++ !== at) return
        process.die()
        resolve()
      })
    })
    const answered = await Promise.race([world.drive(world.clock, died), work.run(process, world)])
    expect(answered).toBeUndefined()
    const next = await world.start()
    await suffer(world, next, then, work.deletes)
    await world.calm(next)
    if (work.eventually) expect(await work.eventually(world, next)).toBe(true)
    await world.check(next, work.deletes)
  })
})
