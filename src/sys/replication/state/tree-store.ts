/** Gives access to the Merkle tree in the store. */
import type { Op } from '../../../core/storage/port.ts'
import type { RecordWrite } from '../tree/geometry.ts'
import type { StoredTree } from '../tree/stored-tree.ts'
import type { SetHost } from './set-host.ts'

export function treeIn({ store, clock, env, kind }: SetHost): StoredTree {
  return {
    clock,
    sha256: env.crypto.hash('sha2-256'),
    async read(names) {
      const found = await store.getMany(names.map((name) => kind.tree + name))
      return found.map((entry) => entry?.value)
    },
    async names(prefix, { after, limit }) {
      const page = after === undefined ? { limit } : { after: after.slice(prefix.length), limit }
      return (await store.list(kind.tree + prefix, page)).map((name) => prefix + name)
    },
    async domains() {
      const names = await store.list(kind.tree, { delimiter: '/' })
      return names.map((name) => name.slice(0, -1))
    },
  }
}

export const treeOps = ({ store, kind }: SetHost, records: readonly RecordWrite[]): Op[] =>
  records.map(({ name, bytes }) =>
    bytes ? store.encryptedPut(kind.tree + name, bytes, undefined) : { op: 'del', key: kind.tree + name },
  )
