/**
 * Encryption counts when a cluster is lost, takes over, or is restored from a backup.
 */
import { describe, expect, it } from 'vitest'
import { memoryStorage, restoreStorage } from '../../../src/index.ts'
import { tokenOf } from './cluster.ts'
import { type Cluster, encrypt, LIMIT, Site, shown, ticked, tryMany, wear } from './worn.ts'

/** The size of the first block that a counter reserves. */
const BLOCK = 1024

const MAX_BLOCK_USES = 2 ** 20

const promote = ({ kernel }: Cluster, force = true) => kernel.replication.promote({ force })

async function follow(cluster: Cluster, primary: Cluster, id: string): Promise<void> {
  await cluster.kernel.replication.updatePrimary({ token: await tokenOf(primary.kernel, id) })
}

describe('the encryption count of a key version on a cluster that was promoted by force', () => {
  it('increases once by the largest counter block, because the former primary may have used such a block', async () => {
    const site = new Site()
    const [first, second] = (await site.set(1)) as [Cluster, Cluster]
    await first.kernel.transit.createKey({ name: 'unused' })
    await ticked(second)
    await encrypt(second)
    await promote(second)
    // The rest of the block was reserved before the promotion.
    expect(await tryMany(second, 99)).toBe(99)
    expect(await shown(second)).toBe(100)
    expect(await tryMany(second, 5000)).toBe(5000)
    await encrypt(second, 'unused')
    expect(await shown(second)).toBe(MAX_BLOCK_USES + 5100)
    expect(await shown(second, 'unused')).toBe(MAX_BLOCK_USES + 1)
    await second.kernel.close()

    const again = await site.open(second.storage, 2)
    await encrypt(again)
    await encrypt(again, 'unused')
    expect(await shown(again)).toBe(MAX_BLOCK_USES + 5101)
    expect(await shown(again, 'unused')).toBe(MAX_BLOCK_USES + 2)
    // A key that was created after the promotion has no lost encryptions.
    await again.kernel.transit.createKey({ name: 'new' })
    await again.kernel.transit.encryptBatch({ name: 'upserted', batch_input: [{ plaintext: new Uint8Array(1) }] })
    await tryMany(again, 5000, 'upserted')
    expect(await shown(again, 'upserted')).toBe(5001)
  })

  it('increases by the largest counter block even if the kernel closed with a reserved block', async () => {
    const site = new Site()
    const [, second] = (await site.set(1)) as [Cluster, Cluster]
    await encrypt(second)
    await promote(second)
    await second.kernel.close()
    const again = await site.open(second.storage, 2)
    await encrypt(again)
    expect(await shown(again)).toBe(MAX_BLOCK_USES + 2)
  })

  it('increases by the largest counter block at each forced promotion', async () => {
    const [first, second] = (await new Site().set(1)) as [Cluster, Cluster]
    await promote(second)
    await encrypt(second)
    await second.kernel.replication.demotePrimary()
    await promote(second)
    await tryMany(second, BLOCK)
    expect(await shown(second)).toBe(2 * MAX_BLOCK_USES + BLOCK + 1)
    // The former primary knows its own encryptions.
    await encrypt(first)
    expect(await shown(first)).toBe(1)
  })

  it('does not exceed the limit, because encryptions are refused instead', async () => {
    const [, second] = (await new Site().set(1)) as [Cluster, Cluster]
    await wear(second, LIMIT - MAX_BLOCK_USES)
    await promote(second)
    await expect(encrypt(second)).rejects.toMatchObject({ status: 400, message: expect.stringContaining('2^32') })
  })

  it('includes the counts that other clusters reported before and after the promotion', async () => {
    const [first, second, third] = (await new Site().set(2)) as [Cluster, Cluster, Cluster]
    await wear(first, LIMIT / 4)
    await wear(third, LIMIT / 4)
    await wear(second, LIMIT / 2 - MAX_BLOCK_USES - 9 * BLOCK)
    for (const cluster of [first, second, third]) await encrypt(cluster)
    await ticked(second, third)
    await promote(second)
    await first.kernel.replication.demotePrimary()
    await follow(first, second, 'first')
    await follow(third, second, 'third')
    await ticked(first, third)
    // Two of the nine blocks were used by the other clusters, and one is its own reserved block.
    expect(await tryMany(second, 9000)).toBe(7 * BLOCK - 1)
  })
})

it('a promotion without lost data does not increase encryption counts', async () => {
  const [first, second] = (await new Site().set(1)) as [Cluster, Cluster]
  await first.kernel.replication.demotePrimary()
  await ticked(second).catch(() => {})
  await promote(second, false)
  await encrypt(second)
  expect(await shown(second)).toBe(1)
})

it("a cluster that leaves a set and joins again counts from zero, but the set's sum keeps its earlier encryptions", async () => {
  const site = new Site()
  const [primary, firstCluster] = (await site.set(1)) as [Cluster, Cluster]
  await wear(primary, LIMIT / 2 - 5000)
  await wear(firstCluster, LIMIT / 2)
  for (const cluster of [primary, firstCluster]) await encrypt(cluster)
  await ticked(firstCluster)
  await firstCluster.kernel.replication.disableSecondary()
  await site.follow(primary, 'again', firstCluster)
  expect(await shown(firstCluster)).toBe(0)
  expect(await tryMany(firstCluster, 4000)).toBe(5000 - 2 * BLOCK)
  expect(await shown(firstCluster)).toBe(5000 - 2 * BLOCK)
})

describe('the encryption count of a key version in a restored store', () => {
  const restored = async (site: Site, cluster: Cluster, number: number, change: () => Promise<void>): Promise<Cluster> => {
    const backup: Uint8Array[] = []
    for await (const part of cluster.kernel.backup()) backup.push(part)
    await change()
    await cluster.kernel.close()
    const storage = memoryStorage({ maxOps: 128 })
    await restoreStorage(
      (async function* () {
        yield* backup
      })(),
      storage,
    )
    return site.open(storage, number)
  }

  it.each(['primary', 'secondary'] as const)(
    'on a %s increases by the largest counter block, because of encryptions since the backup',
    async (which) => {
      const site = new Site()
      const [primary, firstCluster] = (await site.set(1)) as [Cluster, Cluster]
      const [cluster, number] = which === 'primary' ? ([primary, 1] as const) : ([firstCluster, 2] as const)
      const again = await restored(site, cluster, number, async () => {
        await encrypt(cluster)
      })
      await encrypt(again)
      expect(await shown(again)).toBe(MAX_BLOCK_USES + 1)
    },
  )

  it.each(['primary', 'secondary'] as const)(
    'on a %s includes the encryptions since the backup that other clusters know',
    async (which) => {
      const site = new Site()
      const [primary, firstCluster] = (await site.set(1)) as [Cluster, Cluster]
      const [cluster, number] = which === 'primary' ? ([primary, 1] as const) : ([firstCluster, 2] as const)
      const again = await restored(site, cluster, number, async () => {
        await wear(cluster, LIMIT / 2)
        await encrypt(cluster)
        await ticked(firstCluster)
      })
      await ticked(which === 'primary' ? firstCluster : again)
      await encrypt(again)
      expect(await shown(again)).toBe(LIMIT / 2 + BLOCK + MAX_BLOCK_USES + 1)
    },
  )
})
