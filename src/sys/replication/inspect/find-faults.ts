/**
 * Whether stored records are what tree and log say of them. The tree follows the log, and the log every commit, so what they do not know of was changed
 * behind the kernel's back; what was written and is not in the tree yet is in the log.
 */

import { isReplicatedOp, newestEntry, readLog } from '../log/log-pages.ts'
import { leafOrUnreadable } from '../log/tree-updater.ts'
import type { TreeProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn } from '../state/tree-store.ts'
import { entryOf, readBucket } from '../tree/bucket-record.ts'
import { readOrUnreadable, undamaged } from '../tree/check.ts'
import { bucketName, bucketOf } from '../tree/geometry.ts'
import { compareHashes } from '../tree/hash-list.ts'
import type { TreeKeys } from '../tree/tree-keys.ts'

/** `changed`: it has another value, be it an earlier one. `unreadable`: it cannot be opened. */
export type FaultKind = 'changed' | 'missing' | 'added' | 'unreadable'

export interface RecordFault {
  /** The key of the record in the store. */
  readonly key: string
  /** What is wrong with it. */
  readonly fault: FaultKind
}

/** A fault with what is stored: undefined where nothing is. */
export interface FaultWithLeaf extends RecordFault {
  readonly leaf: Uint8Array | undefined
}

export interface FaultParts {
  readonly host: SetHost
  readonly keys: TreeKeys
}

type Leaf = Uint8Array | undefined

/** Looks at records that somebody writes at the same time. */
const MAX_LOOKS = 5

/** Entries of the log that are searched for a record; where the tree is further behind it is brought up first. */
const MAX_UNFOLDED_ENTRIES = 4_096

/**
 * Those of these records that are wrong. The tree stands still meanwhile.
 * @returns undefined where the log does not tell: the tree has to be brought up to it first.
 */
export async function findFaults(
  parts: FaultParts,
  folded: TreeProgress,
  suspects: readonly string[],
): Promise<readonly FaultWithLeaf[] | undefined> {
  const faults: FaultWithLeaf[] = []
  let left = suspects
  for (let looks = 1; left.length > 0; looks++) {
    const look = await readLook(parts, folded, left)
    if (!look) return undefined
    const { stored, known, logged, isExact } = look
    const again: string[] = []
    for (const [at, key] of left.entries()) {
      const leaf = stored[at]
      const before = [known[at], ...(logged.get(key) ?? [])]
      const isRight = isExact ? isSameLeaf(before.at(-1), leaf) : before.some((one) => isSameLeaf(one, leaf))
      if (isRight && !isUnreadable(leaf)) continue
      // Somebody has written meanwhile, perhaps this record: what is right is known at another look.
      if (!isExact && looks < MAX_LOOKS) again.push(key)
      else faults.push({ key, fault: faultKindOf(before.at(-1), leaf), leaf })
    }
    left = again
  }
  return faults
}

const isSameLeaf = (a: Leaf, b: Leaf): boolean => (a && b ? compareHashes(a, b) === 0 : a === b)

/** The leaf of what cannot be opened. */
export const isUnreadable = (leaf: Leaf): boolean => leaf?.every((byte) => byte === 255) === true

function faultKindOf(right: Leaf, stored: Leaf): FaultKind {
  if (isUnreadable(stored)) return 'unreadable'
  if (!stored) return 'missing'
  return right ? 'changed' : 'added'
}

interface Look {
  readonly stored: readonly Leaf[]
  readonly known: readonly Leaf[]
  /** What the log says of records that the tree has otherwise, in its order. */
  readonly logged: ReadonlyMap<string, readonly Leaf[]>
  /** Nothing was written between the beginning and the end. */
  readonly isExact: boolean
}

async function readLook(parts: FaultParts, folded: TreeProgress, suspects: readonly string[]): Promise<Look | undefined> {
  const { host, keys } = parts
  const { store } = host
  const before = await newestEntry(store)
  const known = await knownLeaves(parts, suspects)
  const entries = await store.entries(suspects)
  const stored: Leaf[] = []
  for (const entry of entries) stored.push(entry && (await leafOrUnreadable(host, keys, entry.key, entry.value)))
  const after = await newestEntry(store)
  const logged = await loggedLeaves(parts, folded.entry, after, new Set(suspects))
  return logged && { stored, known, logged, isExact: before === after }
}

/** The leaves that the tree has of these keys. A damaged bucket has none. */
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
      leaves.push(entries && entryOf(entries, hash)?.leaf)
    }
  }
  return leaves
}

const NAMES_PER_READ = 512

/** As of an entry of the log. Undefined where the log does not have all of it. */
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
      // Written behind the look.
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
