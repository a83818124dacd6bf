/** Steps of directed schedules, on named kernels. Random schedules use any kernel. */
import { LOG } from '../../../../src/core/log/frame.ts'
import type { Kernel } from '../../../../src/kernel.ts'
import { always, change } from '../change.ts'
import type { Outcome } from '../model.ts'
import type { Which } from '../mortal-storage.ts'
import type { Node, Site } from '../site.ts'
import { type Status, statusOf } from '../status.ts'
import { EMPTY_MOUNT } from '../subjects.ts'
import { outcomeOf, type World } from '../world.ts'

/** A process that is paused at a commit. */
export interface Held {
  /** Resolves when the process has reached that commit. */
  readonly reached: Promise<void>
  release(): void
}

/** Pauses the process at its next commit of this kind until it is released. */
export function hold(node: Node, which: Which): Held {
  let reached = (): void => {}
  let release = (): void => {}
  const arrives = new Promise<void>((resolve) => {
    reached = resolve
  })
  const over = new Promise<void>((resolve) => {
    release = resolve
  })
  node.storage?.pauseAt(
    1,
    () => {
      reached()
      return over
    },
    which,
  )
  return { reached: arrives, release }
}

/** Commits that change a record below one of these prefixes. */
export const changing =
  (...prefixes: readonly string[]): Which =>
  (ops) =>
    ops.some((op) => (op.op === 'put' || op.op === 'del') && prefixes.some((prefix) => op.key.startsWith(prefix)))

export const nodeOf = (site: Site, at: number): Node => site.nodes[at] as Node

export const kernelOf = ({ kernel }: Node): Kernel => kernel as Kernel

export const siteOf = (world: World, at: number): Site => world.sites[at] as Site

/** Runs a call, records its outcome, and returns it. */
export async function recordOutcome(world: World, text: string, call: Promise<unknown>): Promise<Outcome> {
  const { outcome, error } = await world.settle(outcomeOf(call))
  world.record(`${text}: ${outcome}${error instanceof Error ? ` (${error.message})` : ''}`)
  return outcome
}

export async function tick(world: World, ...nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) {
    const { failed } = await world.settle(kernelOf(node).tick())
    world.record(`${node.name} ticks${failed.map(({ error }) => `, and fails: ${error.message}`)}`)
  }
}

/** Starts a write of the primary's application, which the final checks include. Not awaited, so that other steps can run concurrently. */
export async function begunWrite(world: World, node: Node, path: string): Promise<string> {
  const value = world.fresh()
  const { text, run } = change(
    () => world.shared,
    `${node.name}: write ${path} ${value}`,
    [[`v1:${path}`, always(value)]],
    () => kernelOf(node).kv.writeSecret({ path, data: { v: value } }),
  )
  world.record(`${text}: ${await run()}`)
  return value
}

/** @returns The written value. */
export const write = (world: World, node: Node, path: string): Promise<string> => world.settle(begunWrite(world, node, path))

/** The primary's application creates a mount. */
export async function mount(world: World, node: Node, path: string): Promise<void> {
  const { text, run } = change(
    () => world.shared,
    `${node.name}: mount ${path}`,
    [[`mount:${path}`, always(EMPTY_MOUNT)]],
    () => kernelOf(node).mounts.createMount({ path, type: 'kv' }),
  )
  world.record(`${text}: ${await world.settle(run())}`)
}

/** Deletes all log records except the newest one, so a secondary that needs them has to run a Merkle sync. */
export async function loseLog({ memory }: Site): Promise<void> {
  const found = await memory.scan(`${LOG}/`)
  await memory.commit(
    found.slice(0, -1).map(({ key }) => ({ op: 'del', key })),
    'lost',
  )
}

/** Lets this kernel of its cluster take the replication claim. */
export async function takeClaim(world: World, node: Node): Promise<void> {
  const others = node.site.nodes.filter((candidate) => candidate !== node)
  for (const node of others) await world.settle(node.close())
  // Without a connection the tick maintains only the tree, under the claim.
  world.net.partition(
    [node.site.name],
    world.sites.filter(({ name }) => name !== node.site.name).map(({ name }) => name),
  )
  await tick(world, node)
  world.net.heal()
  for (const node of others) await world.settle(node.open())
}

export const readStatus = (world: World, node: Node): Promise<Status> => world.settle(statusOf(kernelOf(node)))

/** Advances the clock until the kernel is in this state. @throws Error if it does not reach it. */
export async function until(world: World, node: Node, state: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if ((await readStatus(world, node)).state === state) return
    await world.clock.advance(100)
  }
  throw new Error(`${node.name} never comes to ${state}`)
}
