/** Kernels of one store that hold the replication claim, pause until another kernel takes over, and then continue. */

import { LOG } from '../../../../src/core/log/frame.ts'
import type { Op } from '../../../../src/core/storage/port.ts'
import { PERFORMANCE } from '../../../../src/sys/replication/state/replication-kind.ts'
import type { Node, Site } from '../site.ts'
import type { World } from '../world.ts'
import { changing, hold, kernelOf, nodeOf, siteOf, takeClaim, tick, write } from './steps.ts'

/** Longer than the lifetime of a claim. */
const CLAIM_OVER_MS = 31_000

/** The interval at which ticks fold the log. */
const FOLD_INTERVAL_MS = 5000

/** The key of the claim. */
export const CLAIM = 'i/claim/replication/core'

const puts = (ops: readonly Op[], key: string): boolean => ops.some((op) => op.op === 'put' && op.key === key)

/** Whether a commit folds log entries into the tree. */
export const isFold = (ops: readonly Op[]): boolean => changing(PERFORMANCE.tree)(ops) && puts(ops, PERFORMANCE.treeProgress.key)

/** Whether a commit builds the tree from the store. */
export const isBuild = (ops: readonly Op[]): boolean =>
  changing(PERFORMANCE.tree)(ops) && !puts(ops, PERFORMANCE.treeProgress.key)

/** Whether a commit writes values of a Merkle sync. */
export const isCopy = (ops: readonly Op[]): boolean =>
  changing('r/')(ops) && ops.some((op) => op.op === 'check' && op.key === CLAIM) && !puts(ops, PERFORMANCE.replicaProgress.key)

/** Holds a commit of `slow` while `quick` takes over, runs `meanwhile`, and then releases the commit. */
async function overtake(
  world: World,
  slow: Node,
  quick: Node,
  which: (ops: readonly Op[]) => boolean,
  meanwhile: () => Promise<void>,
) {
  await world.settle(world.clock.advance(FOLD_INTERVAL_MS))
  const held = hold(slow, which)
  const ticking = kernelOf(slow).tick()
  ticking.catch(() => {})
  await world.settle(held.reached)
  await tick(world, quick)
  await world.settle(world.clock.advance(CLAIM_OVER_MS))
  await meanwhile()
  await world.settle(world.clock.advance(FOLD_INTERVAL_MS))
  await tick(world, quick)
  held.release()
  await world.settle(ticking)
}

/** Damages the log, so that the tree is rebuilt from the store. */
async function damageLog(site: Site): Promise<void> {
  const found = await site.memory.scan(`${LOG}/`)
  const last = found.at(-1)
  if (last) await site.memory.commit([{ op: 'put', key: last.key, value: last.value.map((byte) => byte ^ 1) }], 'damage')
}

export const PRIMARY_KERNELS = [2, 1] as const

export async function overtakenFolder(world: World): Promise<void> {
  const a = siteOf(world, 0)
  const [a1, a2, b1] = [nodeOf(a, 0), nodeOf(a, 1), nodeOf(siteOf(world, 1), 0)]
  await takeClaim(world, a1)
  await tick(world, b1)
  await write(world, a1, 'a')
  await overtake(world, a1, a2, isFold, async () => {
    await tick(world, a2)
    for (const path of ['b', 'c/d', 'e']) await write(world, a2, path)
  })
}

export async function overtakenBuilder(world: World): Promise<void> {
  const a = siteOf(world, 0)
  const [a1, a2, b1] = [nodeOf(a, 0), nodeOf(a, 1), nodeOf(siteOf(world, 1), 0)]
  for (const path of ['a', 'b', 'c/d', 'e']) await write(world, a1, path)
  await takeClaim(world, a1)
  await tick(world, b1)
  await write(world, a1, 'a')
  await damageLog(a)
  await overtake(
    world,
    a1,
    a2,
    (ops) => isBuild(ops) && ops.some((op) => op.op === 'put'),
    async () => {
      await tick(world, a2)
      for (const path of ['a', 'b', 'c/d', 'e']) await write(world, a2, path)
    },
  )
}

export const SECONDARY_KERNELS = [1, 2] as const

export async function overtakenCopier(world: World): Promise<void> {
  const [a, b] = [siteOf(world, 0), siteOf(world, 1)]
  const [a1, b1, b2] = [nodeOf(a, 0), nodeOf(b, 0), nodeOf(b, 1)]
  for (const path of ['a', 'b', 'c/d', 'e']) await write(world, a1, path)
  await takeClaim(world, b1)
  await overtake(world, b1, b2, isCopy, async () => {
    await tick(world, b2)
    for (const path of ['a', 'b', 'c/d', 'e']) await write(world, a1, path)
  })
}
