import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage, type Storage } from '../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { clusters, tokenOf } from './cluster.ts'

const HOUR = 3_600_000

interface Cluster {
  readonly kernel: Kernel
  readonly storage: Storage
}

/** A primary and a secondary with the same clock. */
async function pairBy(clock: FakeClock): Promise<readonly [Cluster, Cluster]> {
  const { make } = clusters()
  const started = async (): Promise<Cluster> => {
    const storage = memoryStorage({ maxOps: 128 })
    return { kernel: await make({ storage, clock }), storage }
  }
  const [primary, secondary] = [await started(), await started()]
  await primary.kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
  await primary.kernel.policies.writePolicy({ name: 'before', policy: 'path "secret/*" { policy = "read" }', ttl: '1h' })
  await primary.kernel.replication.enablePrimary()
  await secondary.kernel.replication.enableSecondary({ token: await tokenOf(primary.kernel, 'one') })
  await secondary.kernel.tick()
  await primary.kernel.policies.writePolicy({ name: 'after', policy: 'path "secret/*" { policy = "read" }', ttl: '1h' })
  await secondary.kernel.tick()
  return [primary, secondary]
}

const policyKeys = async ({ storage }: Cluster): Promise<readonly string[]> =>
  (await storage.scan('')).map(({ key }) => key).filter((key) => key.includes('policy/') && !key.startsWith('i/guard/'))

const statuses = async ({ kernel }: Cluster, tokens: readonly string[]): Promise<readonly number[]> => {
  const found: number[] = []
  for (const token of tokens) {
    const headers = { 'X-Service-Token': token }
    found.push((await kernel.handle({ method: 'GET', path: '/v1/secret/a', headers })).status)
  }
  return found
}

const tokensOf = async ({ kernel }: Cluster): Promise<readonly string[]> => {
  const tokens: string[] = []
  for (const name of ['before', 'after'])
    tokens.push((await kernel.tokens.createToken({ policies: [name], ttl: '24h' })).client_token)
  return tokens
}

describe('policies with a ttl', () => {
  it('expire on a secondary at the same time as on the primary, which deletes them on both clusters', async () => {
    const clock = fakeClock()
    const [primary, secondary] = await pairBy(clock)
    const tokens = await tokensOf(secondary)
    expect(await statuses(secondary, tokens)).toEqual([200, 200])
    clock.set(clock.now() + HOUR)
    expect(await statuses(secondary, tokens)).toEqual([403, 403])
    await secondary.kernel.tick()
    expect(await policyKeys(secondary)).not.toEqual([])
    await primary.kernel.tick()
    await secondary.kernel.tick()
    expect(await policyKeys(primary)).toEqual([])
    clock.set(clock.now() + 2 * HOUR)
    await secondary.kernel.tick()
    expect(await policyKeys(secondary)).toEqual([])
    for (const { kernel } of [secondary, primary]) await kernel.close()
  })

  it('are deleted by a secondary that has become the primary', async () => {
    const clock = fakeClock()
    const [primary, secondary] = await pairBy(clock)
    await primary.kernel.close()
    await secondary.kernel.replication.promote({ force: true })
    clock.set(clock.now() + HOUR)
    await secondary.kernel.tick()
    expect(await policyKeys(secondary)).toEqual([])
    await secondary.kernel.close()
  })
})
