/**
 * A second process on the store of a cluster: writes until it is refused, and reports the outcome of each write. Started by
 * fenced.slow.test.ts.
 */
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { createKernel, KernelError, keySeal } from '../../../src/index.ts'
import { childArguments, received, send } from '../../fixtures/child-side.ts'

export interface SecondArguments {
  readonly path: string
  /** The value of all bytes of the seal's key. */
  readonly seal: number
}

export type ChildMessage =
  | { readonly type: 'wrote'; readonly path: string }
  | { readonly type: 'refused'; readonly code: string; readonly status: number }

const { path, seal } = childArguments<SecondArguments>()
const storage = lmdbStorage({ path, shared: true })
const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(seal)) })
const report = (message: ChildMessage): void => send(message)

for (let n = 0; ; n++) {
  const name = `of-second-${n}`
  try {
    await kernel.kv.writeSecret({ path: name, data: { n } })
    report({ type: 'wrote', path: name })
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    report({ type: 'refused', code: error.code, status: error.status })
    break
  }
}
for await (const _ of received()) break
await kernel.close()
await storage.close()
process.stdin.destroy()
