/**
 * Several clusters encrypt with the same key version. The limit of 2^32 applies to all of them together.
 */
import { describe, expect, it } from 'vitest'
import { ENCRYPTIONS } from '../../../src/engines/transit/encryptions.ts'
import { memoryStorage, type Storage } from '../../../src/index.ts'
import { type Cluster, counterKey, encrypt, LIMIT, Site, sharedOn, shown, ticked, tryMany, wear } from './worn.ts'

const REFUSED = { status: 400, message: ENCRYPTIONS.spent }

/** The size of the first block that a counter reserves. */
const BLOCK = 1024

describe('encryptions with a key version', () => {
  it('are refused when all clusters together have made 2^32 of them', async () => {
    const [primary, firstCluster, two] = (await new Site().set(2)) as [Cluster, Cluster, Cluster]
    await wear(primary, LIMIT / 2)
    await wear(firstCluster, LIMIT / 4)
    await wear(two, LIMIT / 4 - 3 * BLOCK - 500)
    for (const cluster of [primary, firstCluster, two]) await encrypt(cluster)
    await ticked(firstCluster, two)
    // Each cluster has reserved a block, and 500 encryptions are left.
    expect(await tryMany(two, 3000)).toBe(BLOCK - 1 + 500)
    await ticked(two, firstCluster)
    for (const cluster of [primary, firstCluster]) expect(await tryMany(cluster, 3000)).toBe(BLOCK - 1)
    for (const cluster of [primary, firstCluster, two]) await expect(encrypt(cluster)).rejects.toMatchObject(REFUSED)
    expect((await shown(primary)) + (await shown(firstCluster)) + (await shown(two))).toBe(LIMIT)
    await primary.kernel.transit.rotateKey({ name: 'k' })
    await ticked(firstCluster)
    expect(await tryMany(firstCluster, 3000)).toBe(3000)
  })

  it('are not added up over the clusters if the mount is local', async () => {
    const [primary, firstCluster] = (await new Site().set(1)) as [Cluster, Cluster]
    await primary.kernel.mounts.createMount({ path: 'own', type: 'transit', local: true })
    const own = primary.kernel.transit.at('own')
    await own.createKey({ name: 'local' })
    await wear(primary, LIMIT / 2, 'local')
    await own.encrypt({ name: 'local', plaintext: new Uint8Array(1) })
    await ticked(firstCluster)
    expect((await own.readKey({ name: 'local' })).encryptions).toEqual({ 1: LIMIT / 2 + 1 })
    expect(await sharedOn(primary)).toEqual([])
  })

  it('return a warning once all clusters together have made seven eighths of the limit', async () => {
    const [primary, firstCluster] = (await new Site().set(1)) as [Cluster, Cluster]
    await wear(primary, LIMIT / 2)
    await wear(firstCluster, (LIMIT / 8) * 3)
    for (const cluster of [primary, firstCluster]) expect((await encrypt(cluster)).warnings ?? []).toEqual([])
    await ticked(firstCluster)
    for (const cluster of [primary, firstCluster]) {
      await tryMany(cluster, BLOCK)
      expect((await encrypt(cluster)).warnings).toEqual([ENCRYPTIONS.near])
    }
  })

  it('are still counted for both clusters after one of them restarts while the other is down', async () => {
    const site = new Site()
    const [primary, firstCluster] = (await site.set(1)) as [Cluster, Cluster]
    await wear(primary, LIMIT / 2)
    await wear(firstCluster, LIMIT / 2 - 4 * BLOCK)
    for (const cluster of [primary, firstCluster]) await encrypt(cluster)
    await ticked(firstCluster)
    await primary.kernel.close()
    await firstCluster.kernel.close()
    // Closing the kernel returned its block, except for one encryption.
    const again = await site.open(firstCluster.storage, 2)
    expect(await tryMany(again, 6000)).toBe(4 * BLOCK - 1 - BLOCK)
    await again.kernel.close()
    const first = await site.open(primary.storage, 1)
    expect(await tryMany(first, 6000)).toBe(3 * BLOCK - 1)
  })

  it('by a secondary are still counted after the secondary is revoked', async () => {
    const [primary, firstCluster] = (await new Site().set(1)) as [Cluster, Cluster]
    await wear(firstCluster, LIMIT - 5000)
    await encrypt(firstCluster)
    await ticked(firstCluster)
    await primary.kernel.replication.revokeSecondary({ id: '1' })
    expect(await tryMany(primary, 6000)).toBe(5000 - BLOCK)
  })

  it('by other clusters are still counted by a cluster that leaves the set', async () => {
    const [primary, firstCluster, two] = (await new Site().set(2)) as [Cluster, Cluster, Cluster]
    await wear(firstCluster, LIMIT - 8000)
    await encrypt(firstCluster)
    await ticked(firstCluster, two)
    await two.kernel.replication.disableSecondary()
    await primary.kernel.replication.disablePrimary()
    for (const cluster of [primary, two]) expect(await tryMany(cluster, 8000)).toBe(8000 - BLOCK)
    // A cluster that starts its own set keeps the counts.
    await two.kernel.replication.enablePrimary()
    await expect(encrypt(two)).rejects.toMatchObject(REFUSED)
  })

  it('by a cluster before it became a primary are reported to each secondary that joins', async () => {
    const site = new Site()
    const primary = await site.open()
    await primary.kernel.transit.createKey({ name: 'k' })
    await wear(primary, LIMIT - 5000)
    await encrypt(primary)
    await primary.kernel.replication.enablePrimary()
    const secondary = await site.follow(primary, 'one')
    expect(await tryMany(secondary, 6000)).toBe(5000 - BLOCK)
  })

  it('are refused if the report of another cluster reaches the limit while a counter block is being reserved', async () => {
    const inner = memoryStorage({ maxOps: 128 })
    let meanwhile: (() => Promise<void>) | undefined
    const storage: Storage = {
      ...inner,
      commit: async (ops, id) => {
        if (meanwhile && ops.some((op) => 'key' in op && op.op === 'put' && op.key.includes('/encryptions/'))) {
          const work = meanwhile
          meanwhile = undefined
          await work()
        }
        return inner.commit(ops, id)
      },
    }
    const site = new Site()
    const primary = await site.open(storage)
    await primary.kernel.transit.createKey({ name: 'k' })
    await primary.kernel.replication.enablePrimary()
    const secondary = await site.follow(primary, 'one')
    await wear(secondary, LIMIT - BLOCK)
    await encrypt(secondary)
    meanwhile = () => ticked(secondary)
    await expect(encrypt(primary)).rejects.toMatchObject(REFUSED)
    expect(meanwhile).toBeUndefined()
  })

  it('are not reported to other clusters while they are few', async () => {
    const [primary, firstCluster] = (await new Site().set(1)) as [Cluster, Cluster]
    await tryMany(primary, 5000)
    await tryMany(firstCluster, 5000)
    await ticked(firstCluster)
    for (const cluster of [primary, firstCluster]) expect(await sharedOn(cluster)).toEqual([])

    const inner = memoryStorage({ maxOps: 128 })
    const readKeys: string[] = []
    const storage = {
      ...inner,
      getMany: (keys: readonly string[]) => {
        readKeys.push(...keys)
        return inner.getMany(keys)
      },
    }
    const alone = await new Site().open(storage)
    await alone.kernel.transit.createKey({ name: 'k' })
    await tryMany(alone, 5000)
    expect(readKeys).toContain(await counterKey(alone))
    expect(readKeys.filter((key) => key.includes('shared-count'))).toEqual([])
  })
})
