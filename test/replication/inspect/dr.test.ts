/** Merkle checks and reindexes of a DR secondary. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/index.ts'
import { clusters } from '../clusters/cluster.ts'
import { drPair, drRootOf, mirrorOf, ticked } from '../dr/pair.ts'
import { write } from './faults.ts'

describe('a DR secondary', () => {
  it('accepts a Merkle check or reindex only through its DR endpoints, with a DR operation token', async () => {
    const [primary, secondary] = await drPair(clusters())
    await primary.tokens.createToken({ policies: ['default'] })
    await ticked(secondary)
    const { replication } = secondary
    await expect(primary.replication.dr.merkleCheck()).rejects.toMatchObject({ status: 400 })
    await expect(primary.replication.dr.reindex()).rejects.toMatchObject({ status: 400 })
    await expect(replication.merkleCheck()).rejects.toMatchObject({ status: 400, code: 'ERR_DR_SECONDARY' })
    await expect(replication.reindex()).rejects.toMatchObject({ status: 400, code: 'ERR_DR_SECONDARY' })
    for (const path of ['reindex', 'merkle-check']) {
      const ask = (body: object) =>
        secondary.handle({ method: 'POST', path: `/v1/sys/replication/dr/secondary/${path}`, headers: {}, body })
      expect((await ask({})).status).toBe(400)
      expect((await ask({ dr_operation_token: 'none' })).status).toBe(403)
    }
    const { merkle_corruption_report: report, details } = await replication.dr.merkleCheck()
    expect(details).toEqual([])
    expect(Object.values(report.corrupted_tree_map).map(({ tree_type }) => tree_type)).toEqual(['replicated', 'local'])
    await replication.dr.reindex()
    await expect(replication.dr.reindex()).rejects.toMatchObject({ status: 400 })
    await ticked(secondary)
    await replication.dr.reindex({ force: true })
    for (let ticks = 0; ticks < 3; ticks++) await ticked(secondary)
    expect(await drRootOf(secondary)).toBe(await drRootOf(primary))
  })

  it.each(['r/', 'l/'])('repairs a fault that a Merkle check finds in records with the prefix %s', async (prefix) => {
    const storage = memoryStorage({ maxOps: 128 })
    const all = clusters()
    const primary = await all.make()
    for (let n = 0; n < 10; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n } })
    await primary.tokens.createToken({ policies: ['default'] })
    await primary.replication.dr.enablePrimary()
    const secondary = await mirrorOf(primary, all, 'mirror', { storage })
    const stored = await storage.scan(prefix)
    const entry = stored.find(({ key }) => /\/s\/3$|token/.test(key))
    await write(storage, entry?.key ?? '', undefined)
    const { details } = await secondary.replication.dr.merkleCheck()
    expect(details).toEqual([{ key: entry?.key, fault: 'missing' }])
    for (let ticks = 0; ticks < 2; ticks++) await ticked(secondary)
    expect(await storage.scan(prefix)).toHaveLength(stored.length)
    expect((await secondary.replication.dr.merkleCheck()).details).toEqual([])
    expect(await drRootOf(secondary)).toBe(await drRootOf(primary))
  })
})
