/**
 * The tree as it lies in the store.
 */
import type { Op } from '../../../core/storage/port.ts'
import type { Host } from '../../../core/transaction/host.ts'
import type { RecordWrite } from '../tree/geometry.ts'
import type { StoredTree } from '../tree/stored-tree.ts'
import { TREE } from './records.ts'

export function treeIn({ store, clock, env }: Host): StoredTree {
  return {
    clock,
    sha256: env.crypto.hash('sha2-256'),
    async read(names) {
      const found = await store.getMany(names.map((name) => TREE + name))
      return found.map((entry) => entry?.value)
    },
    async domains() {
      const names = await store.list(TREE, { delimiter: '/' })
      return names.map((name) => name.slice(0, -1))
    },
  }
}

export const treeOps = ({ store }: Host, records: readonly RecordWrite[]): Op[] =>
  records.map(({ name, bytes }) => (bytes ? store.sealed(TREE + name, bytes, undefined) : { op: 'del', key: TREE + name }))
