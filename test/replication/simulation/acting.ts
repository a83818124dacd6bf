/** Runs actions, some of them concurrently. */
import { sharedWrite } from './actions.ts'
import type { Action } from './change.ts'
import { Model } from './model.ts'
import type { Site } from './site.ts'
import { statusOf } from './status.ts'
import type { World } from './world.ts'

/** Runs concurrent actions. @param draw Returns a random action. */
export async function act(world: World, count: number, draw: () => Promise<Action>): Promise<void> {
  const actions: Action[] = []
  for (let tries = 0; actions.length < count && tries < 20; tries++) {
    const action = await draw()
    if (action.subjects.some((subject) => actions.some(({ subjects }) => subjects.includes(subject)))) continue
    actions.push(action)
  }
  await together(world, actions)
}

export async function together(world: World, actions: readonly Action[]): Promise<void> {
  const outcomes = await world.settle(Promise.all(actions.map((action) => action.run())))
  for (const [at, { text }] of actions.entries()) world.record(`${at > 0 ? '  and ' : ''}${text}: ${outcomes[at]}`)
}

/** Many small writes: more than the log keeps in some schedules, and more than between two checkpoints. */
export async function burst(world: World): Promise<void> {
  const count = world.dice.pick([10, 40, 130])
  const kernel = await world.kernelAt(world.primary)
  world.record(`${count} writes`)
  for (let at = 0; at < count; at++) {
    const v = world.fresh()
    const call = kernel.kv.writeSecret({ path: 'e', data: { v } })
    const outcome = await world.settle(
      call.then(
        () => 'done' as const,
        () => 'unknown' as const,
      ),
    )
    world.shared.changed('v1:e', outcome, () => v)
  }
}

/** A replaced primary that does not know of it accepts writes, which will be lost. */
export async function astray(world: World, site: Site): Promise<void> {
  if (site.live.length === 0) return
  const kernel = await world.kernelAt(site)
  if ((await world.settle(statusOf(kernel).catch(() => undefined)))?.mode !== 'primary') return
  const { shared } = world
  world.shared = new Model(shared)
  await together(world, [sharedWrite(world, kernel, `${site.name}, astray`)])
  world.shared = shared
}
