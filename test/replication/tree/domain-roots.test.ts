import { expect, it } from 'vitest'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { DomainRoots } from '../../../src/sys/replication/log/domain-roots.ts'
import { rootName } from '../../../src/sys/replication/tree/geometry.ts'
import { emptyChildren, rootOverAll } from '../../../src/sys/replication/tree/levels.ts'
import { writeRoot } from '../../../src/sys/replication/tree/page-records.ts'
import { readRoots, type StoredTree } from '../../../src/sys/replication/tree/stored-tree.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { hex } from './support.ts'

const rootRecord = (byte: number): Uint8Array =>
  writeRoot({ root: new Uint8Array(20).fill(byte), keys: 1, pages: emptyChildren().fill(byte) })

const records = new Map([[rootName('a'), rootRecord(1)]])

const tree: StoredTree = {
  clock: fakeClock(),
  sha256: nobleCrypto().hash('sha2-256'),
  names: async () => [],
  read: async (names) => names.map((name) => records.get(name)),
  domains: async () => [...records.keys()].map((name) => name.split('/')[0] as string),
}

/** The root over the stored records. */
const said = async (): Promise<{ root: string }> => ({ root: hex(rootOverAll(tree.sha256, await readRoots(tree))) })

it('DomainRoots detects a change by another kernel, even after an own commit that did not change the tree', async () => {
  const roots = new DomainRoots(tree)
  roots.set(await roots.after([], await said(), 1), 2)
  records.set(rootName('b'), rootRecord(2))
  roots.carryOver(3, 4)
  expect(roots.rootOver(await roots.after([], await said(), 4))).toBe((await said()).root)
})

it('DomainRoots refuses stored roots that do not match the expected root, and reads them again the next time', async () => {
  const roots = new DomainRoots(tree)
  const whole = await said()
  const record = records.get(rootName('a')) as Uint8Array
  records.delete(rootName('a'))
  await expect(roots.asOf(whole, 1)).rejects.toMatchObject({ code: 'ERR_INTERNAL' })
  await expect(roots.after([], whole, 1)).rejects.toMatchObject({ code: 'ERR_INTERNAL' })
  records.set(rootName('a'), record)
  expect([...(await roots.asOf(whole, 1)).keys()]).toContain('a')
})
