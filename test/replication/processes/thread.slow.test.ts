/**
 * A primary in the main thread and a secondary in a worker thread, with separate event loops.
 */
import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import { beforeAll, expect, it } from 'vitest'
import { workerTransport } from '../../../src/adapters/replication-worker/index.ts'
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { compiled } from '../../fixtures/compiled.ts'
import { contentsOf } from './contents.ts'
import { Ledger } from './ledger.ts'
import { load, setUp } from './load.ts'
import type { ThreadArguments, ThreadMessage } from './thread.child.ts'

let program: URL
beforeAll(() => {
  program = new URL(compiled('test/replication/processes/thread.child.ts'))
})

it('a secondary in a worker thread receives every record that its primary in the main thread writes', async () => {
  const { port1, port2 } = new MessageChannel()
  const kernel = await createKernel({
    storage: memoryStorage({ maxOps: 128 }),
    seal: keySeal(new Uint8Array(32).fill(1)),
    initialize: true,
    ports: { replication: workerTransport({ peers: { secondary: port1 } }) },
    // The name of this thread for the worker.
    replication: { clusterAddress: 'main' },
  })
  await setUp(kernel, 100)
  await kernel.replication.enablePrimary({})
  const { wrap_info } = await kernel.replication.createSecondaryToken({ id: 'worker' })
  const workerData: ThreadArguments = { port: port2, token: wrap_info?.token ?? '' }
  const worker = new Worker(program, { workerData, transferList: [port2] })
  const exited = once(worker, 'exit')

  const ledger = new Ledger()
  const over = new AbortController()
  const acts = { begins: ledger.begins.bind(ledger), done: ledger.done.bind(ledger) }
  const loading = load(kernel, { turn: 1, pauseMs: 1 }, acts, over.signal)
  expect((await once(worker, 'message'))[0]).toEqual({ type: 'joined' } satisfies ThreadMessage)
  const before = ledger.acknowledged
  while (ledger.acknowledged < before + 500) await new Promise((resolve) => setTimeout(resolve, 10))
  over.abort()
  await loading

  const { merkle_root } = await kernel.replication.readStatus()
  worker.postMessage(merkle_root)
  const [found] = (await once(worker, 'message')) as [ThreadMessage & { readonly type: 'found' }]
  expect(found.contents).toEqual(await contentsOf(kernel))
  expect(ledger.faults(found.contents)).toEqual([])
  expect(found.refusal).toBe('ERR_READ_ONLY')
  await kernel.close()
  port1.close()
  expect(await exited).toEqual([0])
})
