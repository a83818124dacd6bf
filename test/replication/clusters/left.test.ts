import { expect, it } from 'vitest'
import { keySeal, memoryStorage } from '../../../src/index.ts'
import { crashingStorage } from '../../../src/testing/index.ts'
import { clusters, tokenOf } from './cluster.ts'

const SEAL = keySeal(new Uint8Array(32).fill(200))

it('a new replication set has no secondaries of the set that its primary left, even after a crash while it was leaving', async () => {
  let between = 0
  for (let nth = 1; ; nth++) {
    const all = clusters()
    const memory = memoryStorage({ maxOps: 128 })
    let left = Number.POSITIVE_INFINITY
    const storage = crashingStorage(memory, { crashAt: () => (--left < 0 ? 'before' : undefined) })
    const first = await all.make({ storage, seal: SEAL })
    await first.replication.enablePrimary()
    for (const id of ['one', 'two']) {
      const secondary = await all.make()
      await secondary.replication.enableSecondary({ token: await tokenOf(first, id) })
      await secondary.tick()
      await secondary.close()
    }
    left = nth - 1
    await first.replication.disablePrimary().catch(() => {})
    const { crashed } = storage
    await first.close().catch(() => {})
    const again = await all.make({ storage: memory, seal: SEAL })
    const { mode } = await again.replication.readStatus()
    if (mode === 'primary') await again.replication.disablePrimary()
    else if (crashed) between++
    await again.replication.enablePrimary()
    expect((await again.replication.readStatus()).known_secondaries).toEqual([])
    await again.close()
    if (!crashed) break
  }
  expect(between).toBeGreaterThan(0)
})
