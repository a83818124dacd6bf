/**
 * A kernel on LMDB whose reindex is under way. Started by killed.test.ts, and killed by it.
 */
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { createKernel, keySeal } from '../../../src/index.ts'
import { childArguments, tell } from '../../fixtures/child-side.ts'
import { fastClock } from '../../fixtures/fast-clock.ts'

export interface ReindexArguments {
  readonly path: string
  readonly secrets: number
  /** When the first of them was started, in milliseconds. */
  readonly began: number
}

export interface Told {
  readonly root: string
  /** Keys that were looked at; undefined where no reindex is running. */
  readonly done: number | undefined
}

/** How fast its clock goes: whoever takes over the work of one that died waits half a minute. */
const PACE = 25

const { path, secrets, began } = childArguments<ReindexArguments>()
const storage = lmdbStorage({ path })
const clock = fastClock(began, PACE)
const kernel = await createKernel({ storage, clock, seal: keySeal(new Uint8Array(32).fill(5)), initialize: true })
const { replication } = kernel
if ((await replication.readStatus()).mode === 'disabled') {
  for (let n = 0; n < secrets; n++) await kernel.kv.writeSecret({ path: `s/${n}`, data: { n } })
  await replication.enablePrimary()
  await kernel.tick()
  await replication.reindex()
}
kernel.start({ intervalMs: 50 * PACE })
for (let before: number | undefined = -1; ; ) {
  const { merkle_root: root = '', reindex } = await replication.readStatus()
  if (reindex?.done !== before) tell({ root, done: reindex?.done } satisfies Told)
  before = reindex?.done
  if (before === undefined) break
  await new Promise((resolve) => setTimeout(resolve, 2))
}
await kernel.close()
await storage.close()
