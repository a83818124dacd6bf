/** The work of a tick on a secondary that has all records of its primary. */
import { describe, expect, it } from 'vitest'
import { createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { tokenOf } from './cluster.ts'

function countedStorage(): { readonly storage: Storage; readonly calls: string[] } {
  const calls: string[] = []
  const storage = new Proxy(memoryStorage({ maxOps: 128 }), {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        calls.push(String(name))
        return Reflect.apply(member, target, args)
      }
    },
  })
  return { storage, calls }
}

async function countedPair(records: number) {
  const network = inProcessNetwork()
  const requests: string[] = []
  const replication = {
    listen: network.listen,
    request: (address: string, bytes: Uint8Array, signal: AbortSignal) => {
      requests.push(address)
      return network.request(address, bytes, signal)
    },
  }
  const open = (storage: Storage, key: number): Promise<Kernel> =>
    createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(key)), initialize: true, ports: { replication } })
  const primary = await open(memoryStorage({ maxOps: 128 }), 1)
  const { storage, calls } = countedStorage()
  const secondary = await open(storage, 2)
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
  for (let at = 0; at < records; at++) await primary.kv.writeSecret({ path: `many/${at}`, data: { at: `${at}` } })
  for (let ticks = 0; ticks < 4; ticks++) await secondary.tick()
  return { primary, secondary, again: () => open(storage, 2), calls, requests }
}

describe('a tick of a secondary with nothing to do', () => {
  it.each([10, 500])('sends one message and makes one storage call if there are %i records', async (records) => {
    const { secondary, calls, requests } = await countedPair(records)
    for (const list of [calls, requests]) list.length = 0
    await secondary.tick()
    expect(requests).toHaveLength(1)
    expect(calls).toEqual(['list'])
  })
})

describe('a kernel that keeps the progress of its cluster in memory', () => {
  it('continues from the records that another kernel of the cluster has applied', async () => {
    const { primary, secondary, again } = await countedPair(3)
    await secondary.close()
    const [one, two] = [await again(), await again()]
    for (let round = 0; round < 6; round++) {
      await primary.kv.writeSecret({ path: 'shared', data: { round: `${round}` } })
      await (round % 2 === 0 ? one : two).tick()
      await (round % 2 === 0 ? two : one).tick()
    }
    for (const kernel of [one, two]) {
      expect(await kernel.kv.readSecret({ path: 'shared' })).toMatchObject({ data: { round: '5' } })
      expect((await kernel.replication.readStatus()).known_primary_cluster_addrs).toBeDefined()
    }
  })
})
