/**
 * Finds stored records that were changed outside the kernel. The log contains every commit. Background work folds log entries into the
 * Merkle tree, that is, applies them to it; a leaf of the tree is the hash of one record. A record is damaged if it corresponds neither to
 * its leaf in the tree nor to a log entry that is not folded yet.
 */

import { isReplicatedOp, newestEntry, readLog } from '../log/log-pages.ts'
import { leafOrUnreadable } from '../log/tree-updater.ts'
import type { TreeProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn } from '../state/tree-store.ts'
import { findTreeEntry, readBucket } from '../tree/bucket-record.ts'
import { readOrUnreadable, undamaged } from '../tree/check.ts'
import { bucketName, bucketOf } from '../tree/geometry.ts'
import { compareHashes } from '../tree/hash-list.ts'
import type { TreeKeys } from '../tree/tree-keys.ts'

/**
 * `changed`: the record has another value than the kernel wrote last, possibly an earlier one. `missing`: the record was removed. `added`: the
 * kernel never wrote the record, or has deleted it. `unreadable`: the record cannot be decrypted.
 */
export type FaultKind = 'changed' | 'missing' | 'added' | 'unreadable'

export interface RecordFault {
  /** The key of the record in the store. */
  readonly key: string
  /** The kind of damage. */
  readonly fault: FaultKind
}

/** A fault together with the leaf of the stored record. The leaf is undefined if the record does not exist. */
export interface FaultWithLeaf extends RecordFault {
  readonly leaf: Uint8Array | undefined
}

export interface FaultParts {
  readonly host: SetHost
  readonly keys: TreeKeys
}

type Leaf = Uint8Array | undefined

/** The number of attempts for records that change while they are read. */
const MAX_LOOKS = 5

/**
 * The maximum number of log entries that are searched for records. If more entries are not in the tree yet, they must be applied to the
 * tree first.
 */
const MAX_UNFOLDED_ENTRIES = 4_096

/**
 * Returns which of these records are damaged. The caller ensures that the tree does not change during the call.
 *
 * @returns Undefined if the log entries must be applied to the tree first.
 */
export async function findFaults(
  parts: FaultParts,
  treeProgress: TreeProgress,
  suspects: readonly string[],
): Promise<readonly FaultWithLeaf[] | undefined> {
  const faults: FaultWithLeaf[] = []
  let left = suspects
  for (let looks = 1; left.length > 0; looks++) {
    const look = await readLook(parts, treeProgress, left)
    if (!look) return undefined
    const { stored, known, logged, isExact } = look
    const again: string[] = []
    for (const [at, key] of left.entries()) {
      const leaf = stored[at]
      const before = [known[at], ...(logged.get(key) ?? [])]
      const isRight = isExact ? isSameLeaf(before.at(-1), leaf) : before.some((one) => isSameLeaf(one, leaf))
      if (isRight && !isUnreadable(leaf)) continue
      // A concurrent write may have changed this record; check again.
      if (!isExact && looks < MAX_LOOKS) again.push(key)
      else faults.push({ key, fault: faultKindOf(before.at(-1), leaf), leaf })
    }
    left = again
  }
  return faults
}

const isSameLeaf = (a: Leaf, b: Leaf): boolean => (a && b ? compareHashes(a, b) === 0 : a === b)

/** Whether this is the leaf of a record that cannot be decrypted. */
export const isUnreadable = (leaf: Leaf): boolean => leaf?.every((byte) => byte === 255) === true

function faultKindOf(right: Leaf, stored: Leaf): FaultKind {
  if (isUnreadable(stored)) return 'unreadable'
  if (!stored) return 'missing'
  return right ? 'changed' : 'added'
}

interface Look {
  readonly stored: readonly Leaf[]
  readonly known: readonly Leaf[]
  /** The leaves of unfolded log entries for each key, in the order of the log. */
  readonly logged: ReadonlyMap<string, readonly Leaf[]>
  /** Whether nothing was committed during the read. */
  readonly isExact: boolean
}

async function readLook(parts: FaultParts, treeProgress: TreeProgress, suspects: readonly string[]): Promise<Look | undefined> {
  const { host, keys } = parts
  const { store } = host
  const before = await newestEntry(store)
  const known = await knownLeaves(parts, suspects)
  const entries = await store.entries(suspects)
  const stored: Leaf[] = []
  for (const entry of entries) stored.push(entry && (await leafOrUnreadable(host, keys, entry.key, entry.value)))
  const after = await newestEntry(store)
  const logged = await loggedLeaves(parts, treeProgress.entry, after, new Set(suspects))
  return logged && { stored, known, logged, isExact: before === after }
}

/** Returns the leaves of these keys in the tree. Keys in a damaged bucket have no leaf. */
export async function knownLeaves({ host, keys }: FaultParts, wanted: readonly string[]): Promise<readonly Leaf[]> {
  const places = wanted.map((key) => {
    const [hash, domain] = [keys.hashOf(key), host.kind.domainOf(key)]
    return { hash, domain, bucket: bucketOf(hash), name: bucketName(domain, bucketOf(hash)) }
  })
  const tree = treeIn(host)
  const leaves: Leaf[] = []
  for (let from = 0; from < places.length; from += NAMES_PER_READ) {
    const some = places.slice(from, from + NAMES_PER_READ)
    const records = await readOrUnreadable(tree, [...new Set(some.map(({ name }) => name))])
    for (const { name, domain, bucket, hash } of some) {
      const entries = undamaged(() => readBucket(records.get(name), domain, bucket))
      leaves.push(entries && findTreeEntry(entries, hash)?.leaf)
    }
  }
  return leaves
}

const NAMES_PER_READ = 512

/** Computes the leaves of the wanted records from log entries. Returns undefined if the entries are too many, damaged or truncated. */
async function loggedLeaves(
  { host, keys }: FaultParts,
  after: number,
  to: number,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Leaf[]> | undefined> {
  const leaves = new Map<string, Leaf[]>()
  if (to - after > MAX_UNFOLDED_ENTRIES) return undefined
  for (let entry = after; entry < to; ) {
    const frames = await readLog(host.store, entry)
    if (!frames || frames.length === 0) return undefined
    for (const frame of frames) {
      entry = frame.entry
      // The entry was committed after the stored records were read, so it does not matter for the comparison.
      if (entry > to) break
      for (const op of frame.ops) {
        if (!isReplicatedOp(host.kind, op) || !wanted.has(op.key)) continue
        const leaf = op.op === 'put' ? await leafOrUnreadable(host, keys, op.key, op.value) : undefined
        leaves.set(op.key, [...(leaves.get(op.key) ?? []), leaf])
      }
    }
    await host.clock.sleep(0)
  }
  return leaves
}
