/** Writes while the leader of a cluster is killed. `bench/subjects/etcd-failover.mjs` measures how long they wait. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { etcdStorage } from '../../../src/adapters/storage-etcd/index.ts'
import { startEtcd } from '../../fixtures/etcd/cluster.ts'
import { etcdMissing, freshPrefix } from '../../fixtures/etcd/server.ts'
import { runs } from '../../fixtures/runs.ts'

const KILLS = runs({ quick: 1, soak: 5 })

/** Longer than MAX_WAIT_MS: a write that waits for the dead member until this deadline fails the test. */
const DEADLINE_MS = 600_000
const MAX_WAIT_MS = 60_000

describe.skipIf(etcdMissing !== undefined)(`an etcd leader that is killed${etcdMissing ? ` (${etcdMissing})` : ''}`, () => {
  it('is replaced, and writes continue after the election', async () => {
    const cluster = await startEtcd({ size: 3 })
    const storage = etcdStorage({ hosts: cluster.hosts, prefix: freshPrefix(), timeoutMs: DEADLINE_MS })
    let writing = true
    let acknowledged = 0
    const writer = (async () => {
      for (let n = 0; writing; n++) {
        const { ok } = await storage.commit([{ op: 'put', key: 'a', value: Buffer.from(`${n}`) }], `write ${n}`)
        if (ok) acknowledged++
        await sleep(5)
      }
    })()
    const another = async (): Promise<void> => {
      const before = acknowledged
      await expect.poll(() => acknowledged, { timeout: MAX_WAIT_MS, interval: 5 }).toBeGreaterThan(before)
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const leader = cluster.members[await cluster.leader()]!
      await another()
      await leader.kill()
      await cluster.leader()
      // The leader may have acknowledged the first of these writes before it died.
      await another()
      await another()
      await leader.start()
    }
    writing = false
    await writer
    await storage.close()
    await cluster.stop()
  })
})
