import { expect, it } from 'vitest'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { DomainRoots } from '../../../src/sys/replication/log/domain-roots.ts'
import { rootName } from '../../../src/sys/replication/tree/geometry.ts'
import { emptyChildren } from '../../../src/sys/replication/tree/levels.ts'
import { writeRoot } from '../../../src/sys/replication/tree/page-records.ts'
import type { StoredTree } from '../../../src/sys/replication/tree/stored-tree.ts'
import { fakeClock } from '../../../src/testing/index.ts'

const rootRecord = (byte: number): Uint8Array =>
  writeRoot({ root: new Uint8Array(20).fill(byte), keys: 1, pages: emptyChildren().fill(byte) })

it('what another kernel did to the tree is known after a commit of its own that changed none of it', async () => {
  const records = new Map([[rootName('a'), rootRecord(1)]])
  const tree: StoredTree = {
    clock: fakeClock(),
    sha256: nobleCrypto().hash('sha2-256'),
    names: async () => [],
    read: async (names) => names.map((name) => records.get(name)),
    domains: async () => [...records.keys()].map((name) => name.split('/')[0] as string),
  }
  const roots = new DomainRoots(tree)
  await roots.after([], 1)
  roots.committed(2)
  records.set(rootName('b'), rootRecord(2))
  roots.kept(3, 4)
  expect(await roots.after([], 4)).toBe(await new DomainRoots(tree).after([], 4))
})
