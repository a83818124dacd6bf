/**
 * A worker thread with a port to the test. Started by worker.test.ts.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { workerTransport } from '../../../src/adapters/replication-worker/index.ts'

export interface WorkerArguments {
  readonly port: MessagePort
  readonly task: 'answers' | 'asks' | 'asks and listens' | 'garbage'
}

const { port, task } = workerData as WorkerArguments
const never = new AbortController().signal
const transport = workerTransport({ peers: { main: port } })

if (task === 'answers') {
  await transport.listen('worker', (message) => {
    if (message.length === 0) return new Promise(() => {})
    if (message[0] === 0) process.exit(7)
    return Promise.resolve(message.map((byte) => byte + 1))
  })
  parentPort?.postMessage('listens')
} else if (task === 'asks') {
  parentPort?.postMessage([...(await transport.request('main', Uint8Array.of(1, 2), never))])
} else if (task === 'asks and listens') {
  const on = await transport.listen('', async (message) => message)
  parentPort?.postMessage([...(await transport.request('main', Uint8Array.of(1, 2), never))])
  await on.close()
} else {
  const mark = 'replication-1'
  const odd = [
    undefined,
    null,
    7,
    'text',
    {},
    [],
    { strongroom: mark },
    { strongroom: mark, kind: 'message', id: 1 },
    { strongroom: mark, kind: 'message', id: 1, bytes: 'text' },
    { strongroom: mark, kind: 'message', id: 1, bytes: new ArrayBuffer(1) },
    { strongroom: mark, kind: 'message', id: 1, bytes: new Uint16Array(1) },
    { strongroom: mark, kind: 'message', id: 1, bytes: new Uint8Array(8_388_609) },
    { strongroom: mark, kind: 'message', id: -1, bytes: new Uint8Array(1) },
    { strongroom: mark, kind: 'message', id: 1.5, bytes: new Uint8Array(1) },
    { strongroom: mark, kind: 'message', id: '1', bytes: new Uint8Array(1) },
    { strongroom: mark, kind: 'message', id: 1n, bytes: new Uint8Array(1) },
    { strongroom: 'other', kind: 'message', id: 1, bytes: new Uint8Array(1) },
    { strongroom: mark, kind: 'constructor', id: 1, bytes: new Uint8Array(1) },
    { strongroom: mark, kind: 'answer', id: 1, bytes: new Map() },
    { strongroom: mark, kind: 'answer', id: 99, bytes: new Uint8Array(1) },
    new Map([['strongroom', mark]]),
  ]
  for (const message of odd) port.postMessage(message)
  // Part of shared memory, which this side continues to change.
  const shared = new Uint8Array(new SharedArrayBuffer(8)).subarray(2, 5).fill(5)
  port.postMessage({ strongroom: mark, kind: 'message', id: 2, bytes: shared })
  parentPort?.postMessage('posted')
  port.once('message', (posted: { readonly id: number; readonly kind: string }) => {
    parentPort?.postMessage([posted.id, posted.kind])
  })
}
