/**
 * A fence over a storage that all clusters of a set share.
 */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import type { FencePort } from '../../../core/contract/fence-port.ts'
import type { Storage } from '../../../core/storage/port.ts'

const BELOW = 'fence/'

/**
 * A {@link FencePort} on a storage that every cluster of the set reaches and that is none of theirs, such as `postgresqlStorage` on a database of
 * its own. Nothing that it holds is secret. It stays open when a kernel is closed.
 */
export function storageFence(storage: Pick<Storage, 'get' | 'commit'>): FencePort {
  const entryOf = async (name: string) => {
    const entry = await storage.get(BELOW + name)
    return entry && { version: entry.version, text: fromUtf8(entry.value) }
  }
  return {
    read: async (name) => (await entryOf(name))?.text,
    async swap(name, from, to) {
      const found = await entryOf(name)
      if (found?.text !== from) return false
      const version = found?.version ?? 0
      const op = { op: 'put', key: BELOW + name, value: toUtf8(to), expect: version } as const
      // The same swap of the same entry is the same commit.
      const { ok } = await storage.commit([op], `fence ${version} ${to}`)
      return ok
    },
  }
}
