/**
 * Runs random operations on a store until it is killed, and reports each one before and after it. Started by kill.slow.test.ts.
 */
import { type Clock, systemClock } from '../../src/index.ts'
import { childArguments, send } from '../fixtures/child-side.ts'
import { openLendingWorld } from '../fixtures/lending.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { after, type LaneState, nextAct, randomOf } from './lane.ts'
import { ORCHESTRATED } from './logins.ts'
import { AUTO, type Memory, perform } from './perform.ts'
import { openAsWorker } from './store-at.ts'

export interface WorkerArguments {
  readonly at: StoreAt
  readonly seed: number
  /** The start of its clock, in milliseconds. */
  readonly now: number
  readonly known: string | undefined
  readonly lanes: Readonly<Record<string, { readonly state: LaneState; readonly memory: Memory; readonly n: number }>>
}

/** The messages of the worker. */
export type ChildMessage =
  | { readonly type: 'open'; readonly rootToken: string }
  | { readonly type: 'begins'; readonly lane: string; readonly act: ReturnType<typeof nextAct> }
  | { readonly type: 'done'; readonly lane: string; readonly brought: string | undefined }
  | { readonly type: 'ticked'; readonly failed: readonly string[]; readonly rotated: number }

/** How much faster its clock runs, so that it can take over the claims of dead workers. */
const SPEED = 200
/** The maximum running time, however slow the machine is, because the next hour belongs to the next worker. */
const MAX_MS = 50 * 60_000
const { at, seed, now, known, lanes } = childArguments<WorkerArguments>()

const started = systemClock.now()
const clock: Clock = {
  now: () => now + Math.min((systemClock.now() - started) * SPEED, MAX_MS),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, ms > 0 ? Math.max(1, ms / SPEED) : 0), signal),
}

const report = (message: ChildMessage): void => send(message)

const { storage } = openAsWorker(at)
const lending = await openLendingWorld({ ...ORCHESTRATED, storage, clock, ...(known === undefined ? {} : { known }) })
report({ type: 'open', rootToken: lending.rootToken })

async function work(lane: string, index: number): Promise<never> {
  const begun = lanes[lane]
  if (!begun) throw new Error(`there is no lane ${lane}`)
  const random = randomOf(seed * 31 + index)
  const memory: Record<number, string> = { ...begun.memory }
  let { state } = begun
  for (let { n } = begun; ; n++) {
    const act = nextAct(state, n, random)
    report({ type: 'begins', lane, act })
    const brought = await perform(lending, lane, act, memory)
    report({ type: 'done', lane, brought })
    if (brought !== undefined) memory[n] = brought
    state = after(state, act)
  }
}

async function tick(): Promise<never> {
  for (;;) {
    const { failed } = await lending.kernel.tick()
    const { latest_version: rotated } = await lending.kernel.transit.readKey({ name: AUTO })
    report({ type: 'ticked', failed: failed.map(({ lane, id, error }) => `${lane} ${id}: ${error.message}`), rotated })
    await systemClock.sleep(1)
  }
}

// A worker without lanes only opens the store, and waits to be killed.
if (Object.keys(lanes).length === 0) await new Promise(() => setInterval(() => {}, 60_000))
await Promise.all([...Object.keys(lanes).map(work), tick()])
