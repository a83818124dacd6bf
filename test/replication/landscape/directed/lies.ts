/** A secondary of each kind asserts false epochs and positions. */
import { Dice } from '../../simulation/dice.ts'
import { nodeOf, siteOf, tick, write } from '../../simulation/directed/steps.ts'
import { liesDeposeNobody } from '../properties/one-primary.ts'
import { checkStep, type Schedule } from '../simulate.ts'

const LIES = 30

export const lies: Omit<Schedule, 'seed'> = {
  layout: [
    [1, 'performance', 0],
    [2, 'dr', 0],
  ],
  kernels: [1, 1, 1],
  async script(world) {
    const [a1, b1, c1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0), nodeOf(siteOf(world, 2), 0)]
    await write(world, a1, 'a')
    await tick(world, a1, b1, c1)
    for (let count = 0; count < LIES; count++) await liesDeposeNobody(world, new Dice(`lies ${count}`))
    await write(world, a1, 'b')
    await tick(world, b1, c1)
    await checkStep(world)
  },
}
