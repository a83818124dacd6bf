/**
 * A kernel on LMDB during a reindex. Started by killed.slow.test.ts, which kills it at a storage call that never returns.
 */
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { createKernel, keySeal } from '../../../src/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'
import { childArguments, send } from '../../fixtures/child-side.ts'
import { fastClock } from '../../fixtures/fast-clock.ts'

export interface ReindexArguments {
  readonly path: string
  readonly secrets: number
  /** The machine's time in milliseconds at which the first process was started. */
  readonly began: number
  /** After the reindex has passed the position `beyond`, the process hangs at its `calls`-th storage call. */
  readonly hangs: { readonly beyond: number; readonly calls: number }
}

export type ChildMessage =
  | {
      readonly type: 'progress'
      readonly root: string
      /** The number of inspected keys; undefined if no reindex is running. */
      readonly done: number | undefined
    }
  | { readonly type: 'hangs' }

/** How much faster the clock runs, so that claims of a killed process expire after a second. */
const SPEED = 25

const { path, secrets, began, hangs } = childArguments<ReindexArguments>()
const report = (message: ChildMessage): void => send(message)
const clock = fastClock(began, SPEED)
let left = Number.POSITIVE_INFINITY
const inner = lmdbStorage({ path })
const storage = interceptedStorage(inner, {
  around(_, work) {
    if (--left > 0) return work()
    if (left === 0) report({ type: 'hangs' })
    return new Promise(() => {})
  },
  aroundSync: (work) => work(),
  close: () => inner.close(),
})
const kernel = await createKernel({ storage, clock, seal: keySeal(new Uint8Array(32).fill(5)), initialize: true })
const { replication } = kernel
if ((await replication.readStatus()).mode === 'disabled') {
  for (let n = 0; n < secrets; n++) await kernel.kv.writeSecret({ path: `s/${n}`, data: { n } })
  await replication.enablePrimary()
  await kernel.tick()
  await replication.reindex()
}
kernel.start({ intervalMs: 50 * SPEED })
for (;;) {
  const { merkle_root: root = '', reindex } = await replication.readStatus()
  report({ type: 'progress', root, done: reindex?.done })
  if (!reindex) break
  if (reindex.done > hangs.beyond) {
    left = hangs.calls
    // The test kills this process.
    await new Promise((resolve) => setTimeout(resolve, 3_600_000))
  }
  await new Promise((resolve) => setTimeout(resolve, 2))
}
await kernel.close()
await storage.close()
