/** How long nobody can write when the leader dies: as long as the others take to elect one, and hardly longer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { startEtcd } from '../../fixtures/etcd/cluster.ts'
import { etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { MEASURED } from '../../fixtures/measured.ts'
import { SLOWNESS } from '../../fixtures/slowness.ts'

const KILLS = process.env['SLOW'] ? 5 : 1
const BEYOND_ELECTION_MS = 500 * SLOWNESS

describe.skipIf(etcdMissing !== undefined)(`a leader that dies${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('is replaced, and writes go on as soon as that is', { ...MEASURED, timeout: 120_000 }, async () => {
    const cluster = await startEtcd({ size: 3 })
    const storage = etcdStorage({ hosts: cluster.hosts, prefix: freshPrefix() })
    let writing = true
    /** When the newest write that is acknowledged was begun, and when that was. */
    let newest = { begun: 0, acknowledged: 0 }
    const writer = (async () => {
      for (let n = 0; writing; n++) {
        const begun = performance.now()
        const { ok } = await storage.commit([{ op: 'put', key: 'a', value: Buffer.from(`${n}`) }], `write ${n}`)
        if (ok) newest = { begun, acknowledged: performance.now() }
        await sleep(5)
      }
    })()
    for (let kill = 0; kill < KILLS; kill++) {
      const leader = cluster.members[await cluster.leader()]!
      await expect.poll(() => newest.begun).toBeGreaterThan(0)
      await leader.kill()
      const died = performance.now()
      await cluster.leader()
      const elected = performance.now()
      const since = newest.acknowledged
      await expect.poll(() => newest.acknowledged, { timeout: 30_000, interval: 5 }).toBeGreaterThan(since)
      expect(newest.acknowledged).toBeGreaterThan(died)
      expect(newest.acknowledged - elected).toBeLessThan(BEYOND_ELECTION_MS)
      await leader.start()
    }
    writing = false
    await writer
    await storage.close()
    await cluster.stop()
  })
})
