/**
 * What a kernel holds is used without a question to its store, whichever that is: cached keys and secrets on etcd beside the same on memory.
 * The questions that keep it fresh are asked meanwhile, in the background, and count: times are of the processor.
 */
import { createKernel, keySeal, memoryStorage } from 'strongroom'
import { etcdStorage } from 'strongroom/storage/etcd'
import { missing, startMembers } from '../etcd/members.mjs'
import { oneByOne } from '../in-flight.mjs'
import { measure, processorTime } from '../measure.mjs'
import { microseconds, ratio, ratioCell, table, target } from '../report.mjs'
import { bytes } from '../setup.mjs'

export const title = 'Cached keys and secrets on etcd, beside memory'

const ROUNDS = 31

/** @returns The calls, by name. */
async function callsOn(storage) {
  const kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(1)), initialize: true })
  const { transit, kv } = kernel
  await transit.createKey({ name: 'k' })
  await kv.writeSecret({ path: 's', data: { user: 'app', password: 'a-Password-0f-20-chr' } })
  const plaintext = bytes(32)
  const { ciphertext } = await transit.encrypt({ name: 'k', plaintext })
  const calls = {
    'read a secret': () => kv.readSecret({ path: 's' }),
    decrypt: () => transit.decrypt({ name: 'k', ciphertext }),
    encrypt: () => transit.encrypt({ name: 'k', plaintext }),
    hmac: () => transit.hmac({ name: 'k', input: plaintext }),
    'read a key': () => transit.readKey({ name: 'k' }),
  }
  return { calls, kernel }
}

export async function run() {
  if (missing) return { targets: [], text: `Not measured: ${missing}.` }
  const cluster = await startMembers(1)
  const storage = etcdStorage({ hosts: cluster.hosts })
  const [memory, etcd] = [await callsOn(memoryStorage()), await callsOn(storage)]
  const [rows, targets] = [[], []]
  for (const name of Object.keys(memory.calls)) {
    const candidates = { memory: oneByOne(memory.calls[name]), etcd: oneByOne(etcd.calls[name]) }
    const measured = await measure(candidates, { rounds: ROUNDS, now: processorTime })
    const times = measured.speed('memory', 'etcd')
    rows.push([name, microseconds(measured.time('memory').median), microseconds(measured.time('etcd').median), ratioCell(times)])
    targets.push(target(`${name}, cached: time on etcd : on memory`, times, { atMost: 1.1 }, ratio))
  }
  await Promise.all([memory.kernel.close(), etcd.kernel.close()])
  await storage.close()
  await cluster.stop()
  return { targets, text: table(['', 'memory', 'etcd', 'time on etcd : on memory'], rows) }
}
