/** Finds the keys of records that another cluster requests by the hashes of their keys. */
import { findTreeEntry, readBucket } from '../bucket-record.ts'
import { bucketName, bucketOf, HASH_BYTES, isDomain } from '../geometry.ts'
import { readMany, type StoredTree } from '../stored-tree.ts'

/** Returns the key for each hash; undefined if the tree has no such key, because it was deleted or the other cluster made up the hash. */
export async function findKeys(
  { read }: Pick<StoredTree, 'read'>,
  wanted: readonly { readonly domain: string; readonly hash: Uint8Array }[],
): Promise<readonly (string | undefined)[]> {
  const places = wanted.map(({ domain, hash }) =>
    isDomain(domain) && hash.length === HASH_BYTES
      ? { domain, bucket: bucketOf(hash), name: bucketName(domain, bucketOf(hash)) }
      : undefined,
  )
  const asked = new Map(places.filter((place) => place !== undefined).map((place) => [place.name, place]))
  const records = await readMany(read, [...asked.keys()])
  const buckets = new Map([...asked].map(([name, { domain, bucket }], at) => [name, readBucket(records[at], domain, bucket)]))
  return wanted.map(({ hash }, at) => {
    const place = places[at]
    return place && findTreeEntry(buckets.get(place.name)!, hash)?.key
  })
}
