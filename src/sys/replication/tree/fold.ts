/**
 * Bringing a stored tree up to changes of the store.
 */
import type { Clock } from '../../../core/base/clock.ts'
import { Slices } from '../../../core/base/slices.ts'
import type { Hash } from '../../../core/crypto/backend.ts'
import { FoldWindow, MIN_WRITES } from './fold-window.ts'
import { HASH_BYTES, isDomain, type RecordWrite } from './geometry.ts'
import type { PlacedChange } from './open-bucket.ts'
import type { ReadRecords } from './stored-tree.ts'
import type { TreeKeys } from './tree-keys.ts'

/** A key that changed: its leaf from now on, undefined where the record was deleted. */
export interface TreeChange {
  readonly key: string
  readonly leaf: Uint8Array | undefined
}

export interface FoldTarget {
  readonly read: ReadRecords
  readonly keys: TreeKeys
  readonly sha256: Hash
  /** Long work gives way by it. */
  readonly clock: Clock
  /** The domain of a key, of the form that `isDomain` judges. */
  domainOf(key: string): string
}

export interface FoldResult {
  /** To be committed together. None where nothing changes. */
  readonly records: readonly RecordWrite[]
  /** How many of the changes these records stand for, from the first one on; at least one where there are any. */
  readonly took: number
}

/** Changes whose buckets are read at a time. */
const CHANGES_PER_READ = 64

/** Buckets held. Only changes that change nothing lead to this many. */
const MAX_OPEN_BUCKETS = 1_024

const CHANGE_MICROSECONDS = 40

/**
 * The records by which a tree takes up as many of these changes as fit into `most` records. Where a key is in several of them, the last one
 * counts. Taking up changes again writes nothing, if what they led to was committed together.
 * @param most At least 3: a bucket, its page, its root.
 * @throws KernelError ERR_INTERNAL for a damaged record.
 */
export async function fold(tree: FoldTarget, changes: readonly TreeChange[], most: number): Promise<FoldResult> {
  if (!Number.isSafeInteger(most) || most < MIN_WRITES) throw new TypeError(`a fold writes ${MIN_WRITES} records or more`)
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
    throw new TypeError('the domain of a key is 1 to 64 printable ASCII characters without blanks and slashes')
  if (leaf && leaf.length !== HASH_BYTES) throw new TypeError(`a leaf has ${HASH_BYTES} bytes`)
  return { domain, key, hash: keys.hashOf(key), leaf }
}
