/**
 * Writes records that no other process writes, and ticks concurrently. Reports every commit that had a conflict. Started by
 * contention.slow.test.ts.
 */
import { createKernel, type Kernel, type Storage } from '../../../src/index.ts'
import { childArguments, received, send } from '../../fixtures/child-side.ts'
import type { StoreAt } from '../../fixtures/store-at.ts'
import { openStorage, SEAL } from '../../processes/where.ts'

export interface WriterArguments {
  readonly where: StoreAt
  readonly name: string
  readonly lanes: number
  /** The number of consecutive writes of each lane, each a secret and a token. */
  readonly writes: number
}

export type ChildMessage =
  | { readonly type: 'open' }
  | {
      readonly type: 'done'
      /** The commits of writers, which contain replicated or local records. */
      readonly commits: number
      /** The keys of the conflicts of writers' commits, and of all other commits. */
      readonly conflicts: readonly string[]
      readonly otherConflicts: readonly string[]
      readonly ticks: number
    }

export type ParentMessage = 'write' | 'end'

const { where, name, lanes, writes } = childArguments<WriterArguments>()
const report = (message: ChildMessage): void => send(message)
const { storage: inner, close } = openStorage(where)
const counted = { commits: 0, conflicts: [] as string[], otherConflicts: [] as string[] }
const storage: Storage = {
  ...inner,
  async commit(ops, id) {
    const isWriters = ops.some((op) => op.op === 'put' && /^[rl]\//.test(op.key))
    if (isWriters) counted.commits++
    const verdict = await inner.commit(ops, id)
    if (!verdict.ok) counted[isWriters ? 'conflicts' : 'otherConflicts'].push(verdict.conflict)
    return verdict
  },
}

async function lane(kernel: Kernel, nth: number): Promise<void> {
  for (let at = 0; at < writes; at++) {
    await kernel.kv.writeSecret({ path: `${name}/${nth}/${at % 3}`, data: { at } })
    await kernel.tokens.createToken({ policies: ['default'] })
  }
}

const kernel = await createKernel({ storage, seal: SEAL })
// The test has already created what the first use of a store creates. This loads what the first use of a kernel loads.
await kernel.kv.listSecrets({ path: '' })
report({ type: 'open' })
for await (const message of received() as AsyncIterable<ParentMessage>) {
  if (message === 'end') break
  let ticks = 0
  let over = false
  const ticking = async (): Promise<void> => {
    do {
      await kernel.tick()
      ticks++
      // On LMDB a tick reads synchronously. Without this turn of the event loop no commit would be answered.
      await new Promise((resolve) => setImmediate(resolve))
    } while (!over)
  }
  const tickLoop = ticking()
  await Promise.all(Array.from({ length: lanes }, (_, nth) => lane(kernel, nth)))
  over = true
  await tickLoop
  report({ type: 'done', ...counted, ticks })
}
await kernel.close()
await close()
process.stdin.destroy()
