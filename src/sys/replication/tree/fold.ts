/** Folds changes of the store into a stored Merkle tree, that is, applies them to the tree. */
import type { Clock } from '../../../core/base/clock.ts'
import { Slices } from '../../../core/base/slices.ts'
import type { Hash } from '../../../core/crypto/backend.ts'
import { FoldWindow, MIN_WRITES } from './fold-window.ts'
import { HASH_BYTES, isDomain, type RecordWrite } from './geometry.ts'
import type { PlacedChange } from './open-bucket.ts'
import type { ReadRecords } from './stored-tree.ts'
import type { TreeKeys } from './tree-keys.ts'

/** A changed key with its new leaf, which is a hash of the record. `leaf` is undefined if the record was deleted. */
export interface TreeChange {
  readonly key: string
  readonly leaf: Uint8Array | undefined
}

export interface FoldTarget {
  readonly read: ReadRecords
  readonly keys: TreeKeys
  readonly sha256: Hash
  /** The clock for pauses during long work. */
  readonly clock: Clock
  /** The domain of a key, which must satisfy `isDomain`. */
  domainOf(key: string): string
}

export interface FoldResult {
  /** The tree records to commit in one transaction; empty if the changes have no effect on the tree. */
  readonly records: readonly RecordWrite[]
  /** The number of changes, counted from the first, that `records` includes; at least one if there were any changes. */
  readonly took: number
}

/** The number of changes whose buckets are read with one call of `read`. */
const CHANGES_PER_READ = 64

/**
 * The maximum number of open buckets. Only changes that have no effect on the tree reach this limit: other changes reach the limit `most`
 * on written records first.
 */
const MAX_OPEN_BUCKETS = 1_024

const CHANGE_MICROSECONDS = 40

/**
 * Applies changes to the tree and returns the tree records to write. Stops before the number of records exceeds `most`. If a key occurs in
 * several changes, the last change counts. If the returned records were committed together, folding the same changes again returns no
 * records.
 *
 * @param most The maximum number of records to write. At least 3, because one change needs a bucket, its page, and its root.
 * @throws KernelError ERR_INTERNAL if a record is damaged.
 */
export async function fold(tree: FoldTarget, changes: readonly TreeChange[], most: number): Promise<FoldResult> {
  if (!Number.isSafeInteger(most) || most < MIN_WRITES)
    throw new TypeError(`a fold must be allowed to write at least ${MIN_WRITES} records`)
  const slices = new Slices(tree.clock)
  const window = new FoldWindow(tree.read, tree.sha256, slices, most)
  let took = 0
  let full = false
  while (!full && took < changes.length && window.buckets < MAX_OPEN_BUCKETS) {
    const placed = changes.slice(took, took + CHANGES_PER_READ).map((change) => placedIn(tree, change))
    await window.open(placed)
    const refused = placed.findIndex((change) => !window.apply(change))
    full = refused >= 0
    took += full ? refused : placed.length
    if (slices.spend(placed.length * CHANGE_MICROSECONDS)) await slices.giveWay()
  }
  return { records: await window.close(), took }
}

function placedIn({ keys, domainOf }: FoldTarget, { key, leaf }: TreeChange): PlacedChange {
  const domain = domainOf(key)
  if (!isDomain(domain))
    throw new TypeError('the domain of a key must have 1 to 64 printable ASCII characters without blanks and slashes')
  if (leaf && leaf.length !== HASH_BYTES) throw new TypeError(`a leaf must have ${HASH_BYTES} bytes`)
  return { domain, key, hash: keys.hashOf(key), leaf }
}
