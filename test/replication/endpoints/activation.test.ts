/** An activation token is used up when its secondary has joined, and not when an answer was lost. */
import { expect, it } from 'vitest'
import {
  createKernel,
  inProcessNetwork,
  type Kernel,
  keySeal,
  memoryStorage,
  type ReplicationTransport,
} from '../../../src/index.ts'
import { tokenOf } from '../clusters/cluster.ts'

/** Loses the answers to requests with these numbers, counted from 1. */
function losing(inner: ReplicationTransport, lost: readonly number[]): ReplicationTransport {
  let requests = 0
  return {
    listen: inner.listen,
    async request(address, message, signal) {
      const isLost = lost.includes(++requests)
      const answer = await inner.request(address, message, signal)
      if (isLost) throw new Error('the connection was lost')
      return answer
    },
  }
}

let made = 0

const open = (replication: ReplicationTransport): Promise<Kernel> =>
  createKernel({
    storage: memoryStorage({ maxOps: 128 }),
    seal: keySeal(new Uint8Array(32).fill(++made)),
    initialize: true,
    ports: { replication },
  })

async function primaryAt(network: ReplicationTransport): Promise<Kernel> {
  const primary = await open(network)
  await primary.kv.writeSecret({ path: 'a', data: { a: 1 } })
  await primary.replication.enablePrimary()
  return primary
}

const follows = async (secondary: Kernel): Promise<void> => {
  expect((await secondary.tick()).failed).toEqual([])
  expect((await secondary.kv.readSecret({ path: 'a' })).data).toEqual({ a: 1 })
}

/** The number of requests of an activation. */
async function requestsOfOne(): Promise<number> {
  const network = inProcessNetwork()
  const primary = await primaryAt(network)
  let requests = 0
  const counted: ReplicationTransport = {
    listen: network.listen,
    request: (...all) => {
      requests++
      return network.request(...all)
    },
  }
  await (await open(counted)).replication.enableSecondary({ token: await tokenOf(primary, 'b') })
  return requests
}

it('an activation token can be used again if an answer during the activation was lost', async () => {
  const requests = await requestsOfOne()
  expect(requests).toBeGreaterThan(1)
  for (let lost = 1; lost <= requests; lost++) {
    const network = inProcessNetwork()
    const primary = await primaryAt(network)
    const token = await tokenOf(primary, 'b')
    const unlucky = await open(losing(network, [lost]))
    await unlucky.kv.writeSecret({ path: 'own', data: { v: 1 } })
    const first = await unlucky.replication.enableSecondary({ token }).then(
      () => 200,
      (error: { readonly status: number }) => error.status,
    )
    // Later requests are repeated.
    if (lost === 1) expect(first).toBe(502)
    if (first !== 200) {
      expect(first).toBe(502)
      expect((await unlucky.kv.readSecret({ path: 'own' })).data).toEqual({ v: 1 })
      await unlucky.replication.enableSecondary({ token })
    }
    await follows(unlucky)
    expect((await primary.replication.readStatus()).known_secondaries).toEqual(['b'])
    const late = await open(network)
    await expect(late.replication.enableSecondary({ token })).rejects.toMatchObject({ status: 400 })
  }
})

it('an activation token can be used by another cluster until a secondary has joined with it', async () => {
  const network = inProcessNetwork()
  const primary = await primaryAt(network)
  const token = await tokenOf(primary, 'b')
  const unlucky = await open(losing(network, [1]))
  await expect(unlucky.replication.enableSecondary({ token })).rejects.toMatchObject({ status: 502 })
  const otherKernel = await open(network)
  await otherKernel.replication.enableSecondary({ token })
  await follows(otherKernel)
  await expect(unlucky.replication.enableSecondary({ token })).rejects.toMatchObject({ status: 400 })
  await follows(otherKernel)
})

it('an activation token is deleted once its secondary has joined', async () => {
  const network = inProcessNetwork()
  const primary = await primaryAt(network)
  const token = await tokenOf(primary, 'b')
  expect(await primary.wrapping.lookupWrapping({ token })).toMatchObject({ creation_ttl: 1800 })
  await (await open(network)).replication.enableSecondary({ token })
  await expect(primary.wrapping.lookupWrapping({ token })).rejects.toMatchObject({ status: 400 })
})
