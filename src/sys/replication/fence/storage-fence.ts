/** A fence register in a storage that all clusters of a set can reach. */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import type { FencePort } from '../../../core/contract/fence-port.ts'
import type { Storage } from '../../../core/storage/port.ts'

const BELOW = 'fence/'

/**
 * Keeps a fence register in a storage that every cluster of the set can reach and that no cluster uses as its store, such as
 * `postgresqlStorage` with a separate database. The register contains no secrets. The storage stays open when a kernel is closed.
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
      // The commit id is derived from the old and new values, so the storage recognizes a repeated call as the same commit.
      const { ok } = await storage.commit([op], `fence ${version} ${to}`)
      return ok
    },
  }
}
