/**
 * Reads the records of mounts and namespaces. On a secondary, a record that cannot be read is treated as missing, because replication will
 * restore it. If the secondary failed instead, replication could not run.
 */
import { readEach } from '../transaction/read-each.ts'
import type { DecryptedRecord, Store } from '../transaction/store.ts'

type FoundRecords = readonly (DecryptedRecord | undefined)[]

export const readRecords = (store: Store, keys: readonly string[]): Promise<FoundRecords> =>
  store.getMany(keys).catch((error: unknown) => readReadable(store, keys, error))

/** Reads the records whose keys begin with the prefix, but only the values of the records for which `wanted` returns true. */
export async function scanRecords(
  store: Store,
  prefix: string,
  wanted: (key: string, version: number) => boolean,
): ReturnType<Store['scan']> {
  try {
    return await store.scan(prefix, wanted)
  } catch (error) {
    const keys = (await store.list(prefix)).map((name) => prefix + name)
    const found = await readReadable(store, keys, error)
    return keys.flatMap((key, at) => (found[at] ? [{ key, ...found[at] }] : []))
  }
}

/**
 * Reads the records one by one, after an attempt to read all of them at once has failed with `error`. A damaged record is undefined in the
 * result.
 * @throws KernelError if this cluster is not a secondary, if `error` was not caused by a damaged record, or if a damaged record is not
 * replicated to this cluster.
 */
async function readReadable(store: Store, keys: readonly string[], error: unknown): Promise<FoundRecords> {
  const { isFollower: follows, isMirror: mirrors } = store.commits
  if (!follows) throw error
  return readEach(store, keys, error, (key) => mirrors || key.startsWith('r/'))
}
