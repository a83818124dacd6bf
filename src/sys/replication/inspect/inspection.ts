/**
 * Compares the store with the Merkle tree, and checks that the tree is consistent. An inspection proceeds in small parts. First it checks the
 * records of the tree, and that each record with a leaf in the tree exists. Then it checks that each stored record matches its leaf. It only
 * reads.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import { MAX_COMMIT_OPS } from '../../../core/storage/max-commit-ops.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import { retryUntilStable, TREE_BEHIND_LOG } from '../log/retry-until-stable.ts'
import type { TreeMaintainer } from '../log/tree-maintainer.ts'
import { checkpointSlot, leafOrUnreadable } from '../log/tree-updater.ts'
import type { SetMember } from '../membership.ts'
import { exactFrom } from '../state/history.ts'
import type { TreeProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn, treeOps } from '../state/tree-store.ts'
import { checkPart, type EntryCounts, type Finding, isDamaged, parseRecordName } from '../tree/check.ts'
import { fold } from '../tree/fold.ts'
import { compareHashes } from '../tree/hash-list.ts'
import { rootOverAll } from '../tree/levels.ts'
import { readRoots } from '../tree/stored-tree.ts'
import type { TreeKeys } from '../tree/tree-keys.ts'
import { type FaultWithLeaf, findFaults, isUnreadable, knownLeaves, type RecordFault } from './find-faults.ts'

/**
 * The position that an inspection has reached: the name of a tree record, or the key of a stored record, after which the inspection
 * continues. `after` may also be a prefix, which sorts before all keys that begin with it.
 */
export interface InspectionCursor {
  readonly phase: 'tree' | 'records'
  readonly after: string
}

export const BEGINNING: InspectionCursor = { phase: 'tree', after: '' }

export interface InspectionResult {
  readonly findings: readonly Finding[]
  /** Whether the root over all domains does not match the roots of the domains. */
  readonly isRootWrong: boolean
  readonly faults: readonly RecordFault[]
  /** The number of keys that this part has inspected, in the tree or in the store. */
  readonly inspectedKeys: number
  /** The position of the next part; undefined after the last part. */
  readonly next: InspectionCursor | undefined
}

export interface RepairResult {
  /** The number of records whose leaf in the tree was corrected. */
  readonly repaired: number
  readonly left: readonly string[]
}

export interface InspectionParts {
  readonly host: SetHost
  readonly treeMaintainer: TreeMaintainer
}

/** The number of tree records or stored records per part. It is small, because a part can delay concurrent writes of this process. */
const RECORDS_PER_PART = 16

/** The number of keys whose presence is checked in one call. */
const KEYS_PER_LOOKUP = 256

const MAX_TRIES = 100

type PartResult = Omit<InspectionResult, 'faults'> & { readonly suspects: readonly string[] }

export class Inspection {
  readonly #parts: InspectionParts
  /** The numbers of tree entries that the previous part has counted up to `next`. They are valid only while the tree has this `version`. */
  #lastCounts: { readonly version: number; readonly counts: EntryCounts; readonly next: string } | undefined

  constructor(parts: InspectionParts) {
    this.#parts = parts
  }

  /**
   * Inspects one part.
   *
   * @throws KernelError 503 if the tree is being built, or other kernels keep changing it.
   */
  async inspectPart(from: InspectionCursor, { keys }: SetMember): Promise<InspectionResult> {
    const { host } = this.#parts
    return retryUntilStable(this.#parts, async (treeProgress, version) => {
      const part =
        from.phase === 'tree'
          ? await this.#inspectTree(from.after, treeProgress, version, keys.tree)
          : await this.#inspectRecords(from.after, keys.tree)
      const { suspects, ...found } = part
      const faults = await findFaults({ host, keys: keys.tree }, treeProgress, suspects)
      return faults ? { ...found, faults: faults.map(({ key, fault }) => ({ key, fault })) } : TREE_BEHIND_LOG
    })
  }

  /** Returns which of these records are damaged. @throws KernelError 503 as {@link inspectPart} does. */
  findFaults(suspects: readonly string[], { keys }: SetMember): Promise<readonly FaultWithLeaf[]> {
    return retryUntilStable(
      this.#parts,
      async (treeProgress) =>
        (await findFaults({ host: this.#parts.host, keys: keys.tree }, treeProgress, suspects)) ?? TREE_BEHIND_LOG,
    )
  }

  /**
   * Corrects the leaves of these records in the tree, so that they match the store. Stops if another kernel now maintains the tree; `left` in
   * the result then lists the remaining records.
   */
  async repair(wanted: readonly string[], member: SetMember, fence: Fence): Promise<RepairResult> {
    const { host, treeMaintainer } = this.#parts
    let mended = 0
    let left = wanted
    for (let tries = 0; left.length > 0 && tries < MAX_TRIES; ) {
      const done = await treeMaintainer
        .withTreePaused(() => this.#repairSome(left, member, fence))
        .catch((error: unknown) => this.#rebuildIfDamaged(error))
      if (done) {
        mended += done.repaired
        left = done.left
        continue
      }
      tries++
      if (!(await treeMaintainer.run())) break
      host.env.closing.throwIfAborted()
    }
    return { repaired: mended, left }
  }

  /** Rebuilds the tree from the store if `error` reports damaged tree records. @throws `error` in all other cases. */
  async #rebuildIfDamaged(error: unknown): Promise<undefined> {
    if (!isDamaged(error)) throw error
    await this.#parts.treeMaintainer.rebuild()
  }

  /**
   * Corrects as many leaves as fit into one commit. Returns undefined if the log entries must be applied to the tree first, or after a
   * conflict.
   */
  async #repairSome(wanted: readonly string[], { keys, relation }: SetMember, fence: Fence): Promise<RepairResult | undefined> {
    const { host, treeMaintainer } = this.#parts
    const { store, kind } = host
    const { value: treeProgress, version } = await kind.treeProgress.read(store)
    const faults =
      treeProgress && !treeProgress.building ? await findFaults({ host, keys: keys.tree }, treeProgress, wanted) : undefined
    if (!treeProgress || !faults) return undefined
    const changes = faults.map(({ key, leaf }) => ({ key, leaf }))
    const { records, took } = await fold(
      { ...treeIn(host), keys: keys.tree, domainOf: kind.domainOf },
      changes,
      MAX_COMMIT_OPS - 4,
    )
    const left = faults.slice(took).map(({ key }) => key)
    if (records.length === 0) return { repaired: 0, left }
    const roots = await treeMaintainer.roots.after(records, treeProgress, version)
    const root = treeMaintainer.roots.rootOver(roots)
    // The checkpoint at the current position now has the wrong root, so replace it. Do not replace it if it belongs to an earlier epoch and
    // the data changed between that epoch and the current one.
    const noted = checkpointSlot(kind, treeProgress.index)
    const known = treeProgress.index < exactFrom(relation.history) ? undefined : await noted.read(store)
    const verdict = await store.commit([
      ...treeOps(host, records),
      kind.treeProgress.put(store, { ...treeProgress, root }, version),
      ...(known?.value ? [noted.put(store, { ...known.value, root }, known.version)] : []),
      ...checksOf([fence]),
    ])
    if (!verdict.ok) return undefined
    treeMaintainer.roots.set(roots, verdict.revision)
    return { repaired: took, left }
  }

  async #inspectTree(after: string, treeProgress: TreeProgress, version: number, keys: TreeKeys): Promise<PartResult> {
    const { host } = this.#parts
    const tree = treeIn(host)
    const counts = this.#countsFrom(after, version)
    const { findings, entries, next } = await checkPart(tree, after === '' ? undefined : after, RECORDS_PER_PART, counts)
    this.#lastCounts = next === undefined ? undefined : { version, counts, next }
    const suspects: string[] = []
    const moved: Finding[] = []
    for (let from = 0; from < entries.length; from += KEYS_PER_LOOKUP) {
      const some = entries.slice(from, from + KEYS_PER_LOOKUP)
      const versions = await host.store.versions(some.map(({ key }) => key))
      for (const [at, { key, hash }] of some.entries()) {
        if (versions[at] === 0) suspects.push(key)
        if (compareHashes(hash, keys.hashOf(key)) !== 0)
          moved.push({ domain: host.kind.domainOf(key), page: hash[0] as number, subpage: hash[1] as number })
      }
      await host.clock.sleep(0)
    }
    return {
      findings: [...findings, ...moved],
      isRootWrong: next === undefined && (await this.#isRootWrong(treeProgress)),
      suspects,
      inspectedKeys: entries.length,
      next: next === undefined ? { phase: 'records', after: '' } : { phase: 'tree', after: next },
    }
  }

  /**
   * Returns the counts of tree entries up to `after`. They are known only if the tree has not changed since the previous part. If they are
   * unknown, the count of the current domain is NaN, so that it is not compared with the number in the tree.
   */
  #countsFrom(after: string, version: number): EntryCounts {
    if (after === '') return new Map()
    if (this.#lastCounts?.version === version && this.#lastCounts.next === after) return this.#lastCounts.counts
    return new Map([[parseRecordName(after).domain, Number.NaN]])
  }

  async #isRootWrong({ root }: TreeProgress): Promise<boolean> {
    const tree = treeIn(this.#parts.host)
    try {
      return toHex(rootOverAll(tree.sha256, await readRoots(tree))) !== root
    } catch (error) {
      // Do not report a damaged root record again: the part of the inspection that reads this record reports it.
      if (isDamaged(error)) return false
      throw error
    }
  }

  async #inspectRecords(after: string, keys: TreeKeys): Promise<PartResult> {
    const { host } = this.#parts
    const { sends } = host.kind
    const prefix = sends.find((one) => after.startsWith(one)) ?? (sends[0] as string)
    const isFirst = after === '' || after === prefix
    const page = await host.store.page(prefix, isFirst ? { limit: RECORDS_PER_PART } : { after, limit: RECORDS_PER_PART })
    const known = await knownLeaves(
      { host, keys },
      page.map(({ key }) => key),
    )
    const suspects: string[] = []
    for (const [at, { key, value }] of page.entries()) {
      const leaf = await leafOrUnreadable(host, keys, key, value)
      const before = known[at]
      if (!before || isUnreadable(leaf) || compareHashes(before, leaf) !== 0) suspects.push(key)
    }
    await host.clock.sleep(0)
    const next = page.length < RECORDS_PER_PART ? sends[sends.indexOf(prefix) + 1] : page.at(-1)?.key
    return {
      findings: [],
      isRootWrong: false,
      suspects,
      inspectedKeys: page.length,
      next: next === undefined ? undefined : { phase: 'records', after: next },
    }
  }
}
