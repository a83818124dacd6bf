/** A secondary asserts an epoch that no cluster has begun, with the proof that it can create with its own key. */
import { Dice } from '../dice.ts'
import { lie } from '../lying.ts'
import type { World } from '../world.ts'
import { nodeOf, siteOf, tick, write } from './steps.ts'

export const KERNELS = [1, 1]

const LIES = 30

export async function lies(world: World): Promise<void> {
  const [a1, b1] = [nodeOf(siteOf(world, 0), 0), nodeOf(siteOf(world, 1), 0)]
  await write(world, a1, 'a')
  await tick(world, a1, b1)
  for (let count = 0; count < LIES; count++) await lie(world, new Dice(`lies ${count}`))
  await write(world, a1, 'b')
  await tick(world, b1)
}
