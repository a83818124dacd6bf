/**
 * A secondary in a worker thread. Started by thread.slow.test.ts.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { workerTransport } from '../../../src/adapters/replication-worker/index.ts'
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { type Contents, contentsOf } from './contents.ts'

export interface ThreadArguments {
  readonly port: MessagePort
  readonly token: string
}

export type ThreadMessage =
  | { readonly type: 'joined' }
  | { readonly type: 'found'; readonly contents: Contents; readonly root: string; readonly refusal: string }

const { port, token } = workerData as ThreadArguments
const report = (message: ThreadMessage): void => parentPort?.postMessage(message)
const kernel = await createKernel({
  storage: memoryStorage({ maxOps: 128 }),
  seal: keySeal(new Uint8Array(32).fill(2)),
  initialize: true,
  ports: { replication: workerTransport({ peers: { main: port } }) },
  replication: { clusterAddress: 'secondary' },
})
await kernel.replication.enableSecondary({ token })
const stop = kernel.start()
report({ type: 'joined' })

parentPort?.on('message', async (root: string) => {
  let status = await kernel.replication.readStatus()
  for (; status.merkle_root !== root; status = await kernel.replication.readStatus())
    await new Promise((resolve) => setTimeout(resolve, 20))
  const refusal = await kernel.kv.writeSecret({ path: 'here', data: { n: 1 } }).then(
    () => 'none',
    ({ code }: { readonly code: string }) => code,
  )
  report({ type: 'found', contents: await contentsOf(kernel), root, refusal })
  stop()
  await kernel.close()
  parentPort?.close()
  port.close()
})
