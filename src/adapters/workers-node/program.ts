/**
 * The program of a thread: runs tasks one at a time.
 */
import { parentPort } from 'node:worker_threads'
import { nobleCrypto } from '../../core/crypto/noble/index.ts'
import { loadForTask, performTask } from '../../engines/transit/thread/perform-task.ts'
import { nodeCrypto } from '../crypto-node/index.ts'
import { quickest } from './quickest.ts'
import type { Numbered } from './thread.ts'

const noble = nobleCrypto({ accelerate: false })
const node = nodeCrypto()
const BACKENDS = { noble, accelerated: quickest(noble, node), node }

type Order = Parameters<typeof performTask>[0]

async function answerOf(order: Order): Promise<ReturnType<typeof performTask> | undefined> {
  try {
    await loadForTask(order)
    return performTask(order, BACKENDS)
  } catch {
    return undefined
  }
}

parentPort?.on('message', async ({ id, data: order }: Numbered) => {
  const data = await answerOf(order as Order)
  const packed = [data?.bytes, data?.publicKeys].flatMap((one) => (one ? [one.bytes.buffer] : []))
  parentPort?.postMessage({ id, data } satisfies Numbered, packed)
})
