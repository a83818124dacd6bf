/**
 * The program of a thread: runs tasks one at a time.
 */
import { parentPort } from 'node:worker_threads'
import { nobleCrypto } from '../../core/crypto/noble/index.ts'
import { performTask } from '../../engines/transit/thread/perform-task.ts'
import { nodeCrypto } from '../crypto-node/index.ts'
import { quickest } from './quickest.ts'
import type { Numbered } from './thread.ts'

const noble = nobleCrypto({ accelerate: false })
const node = nodeCrypto()
const BACKENDS = { noble, accelerated: quickest(noble, node), node }

const answerOf = (order: unknown): ReturnType<typeof performTask> | undefined => {
  try {
    return performTask(order as Parameters<typeof performTask>[0], BACKENDS)
  } catch {
    return undefined
  }
}

parentPort?.on('message', ({ id, data: order }: Numbered) => {
  const data = answerOf(order)
  const packed = [data?.bytes, data?.publicKeys].flatMap((one) => (one ? [one.bytes.buffer] : []))
  parentPort?.postMessage({ id, data } satisfies Numbered, packed)
})
