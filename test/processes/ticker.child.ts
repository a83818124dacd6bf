/**
 * Ticks continuously with a clock that the test sets, and reports the work that was done. Started by ticks.slow.test.ts.
 */
import { type Clock, createKernel, type Kernel, KernelError, type Op, type Storage, systemClock } from '../../src/index.ts'
import { childArguments, received, send } from '../fixtures/child-side.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { openStorage, SEAL } from './where.ts'

export interface TickerArguments {
  readonly where: StoreAt
  readonly now: number
  /**
   * The number of items that are committed immediately. The commits of all later items wait until the test releases them. Default: no
   * limit.
   */
  readonly freeItems?: number
  /** Whether the store may be unavailable for a while. Failed work is due again. */
  readonly troubled: boolean
}

export type ChildMessage =
  | { readonly type: 'open'; readonly id: string }
  | { readonly type: 'commits' }
  | { readonly type: 'ticked'; readonly now: number; readonly done: number; readonly failed: readonly string[] }

/** A new time, the release of the waiting commits, or the end. */
export type ParentMessage = { readonly now: number } | 'release' | 'end'

const { where, now, freeItems = Number.POSITIVE_INFINITY, troubled } = childArguments<TickerArguments>()
const report = (message: ChildMessage): void => send(message)
const time = { now }
const clock: Clock = { now: () => time.now, sleep: (ms, signal) => systemClock.sleep(ms, signal) }

const isClaim = (op: Op): boolean => 'key' in op && op.key.startsWith('i/claim/')
const { storage: inner, close } = openStorage(where)
let release = (): void => {}
const released = new Promise<void>((resolve) => {
  release = resolve
})
let items = 0
const storage: Storage = {
  ...inner,
  async commit(ops, id) {
    if (ops.some(isClaim) && !ops.every(isClaim)) {
      report({ type: 'commits' })
      if (++items > freeItems) await released
    }
    return inner.commit(ops, id)
  },
}

async function surely<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(troubled && error instanceof KernelError && error.status === 503)) throw error
    }
  }
}

const kernel = await surely<Kernel>(() => createKernel({ storage, clock, seal: SEAL }))
let over = false

async function listen(): Promise<void> {
  for await (const message of received() as AsyncIterable<ParentMessage>) {
    if (message === 'end') break
    if (message === 'release') release()
    else time.now = message.now
  }
  over = true
}

const listening = listen()
report({ type: 'open', id: (await surely(() => kernel.status())).id })
while (!over) {
  const { done, failed } = await surely(() => kernel.tick())
  report({ type: 'ticked', now: time.now, done, failed: failed.map(({ error }) => error.message) })
  await systemClock.sleep(10)
}
await listening
await kernel.close()
await close()
process.stdin.destroy()
