/**
 * Everything that is stored is held against the tree, and the tree against itself, a few records at a time: first the records of the tree,
 * and whether what they know of is there, then the records of the store. It reads what is stored, and holds up no writer.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import { MOST_OPS } from '../../../core/storage/most-ops.ts'
import type { Fence } from '../../../core/transaction/place.ts'
import { checksOf } from '../../../core/transaction/writes.ts'
import { retryUntilStable, TREE_BEHIND_LOG } from '../log/retry-until-stable.ts'
import type { TreeMaintainer } from '../log/tree-maintainer.ts'
import { checkpointSlot, leafOrUnreadable } from '../log/tree-updater.ts'
import type { Member } from '../membership.ts'
import { exactFrom } from '../state/history.ts'
import type { TreeProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn, treeOps } from '../state/tree-store.ts'
import { type Counts, checkPart, type Finding, isDamaged, parseRecordName } from '../tree/check.ts'
import { fold } from '../tree/fold.ts'
import { compareHashes } from '../tree/hash-list.ts'
import { rootOverAll } from '../tree/levels.ts'
import { readRoots } from '../tree/stored-tree.ts'
import type { TreeKeys } from '../tree/tree-keys.ts'
import { type FaultWithLeaf, findFaults, isUnreadable, knownLeaves, type RecordFault } from './find-faults.ts'

/** How far somebody has come: the records behind this name, or key, are next. A prefix of keys stands in front of all of them. */
export interface InspectionCursor {
  readonly phase: 'tree' | 'records'
  readonly after: string
}

export const BEGINNING: InspectionCursor = { phase: 'tree', after: '' }

export interface InspectionResult {
  readonly findings: readonly Finding[]
  /** Whether the root over all domains is another one than the domains come to. */
  readonly isRootWrong: boolean
  readonly faults: readonly RecordFault[]
  /** Keys that the tree knows of, or that are stored. */
  readonly inspectedKeys: number
  /** Undefined behind the last part. */
  readonly next: InspectionCursor | undefined
}

export interface RepairResult {
  /** How many records the tree had otherwise. */
  readonly repaired: number
  readonly left: readonly string[]
}

export interface InspectionParts {
  readonly host: SetHost
  readonly treeMaintainer: TreeMaintainer
}

/** Records of the tree, or of the store, in one part: whoever writes beside it waits for no more than a few of them. */
const RECORDS_PER_PART = 16

/** Keys whose presence is looked up at a time. */
const KEYS_PER_LOOKUP = 256

const MAX_TRIES = 100

type PartResult = Omit<InspectionResult, 'faults'> & { readonly suspects: readonly string[] }

export class Inspection {
  readonly #parts: InspectionParts
  /** What was counted while the tree had this version. */
  #lastCounts: { readonly version: number; readonly counts: Counts; readonly next: string } | undefined

  constructor(parts: InspectionParts) {
    this.#parts = parts
  }

  /**
   * Looks at a part.
   * @throws KernelError 503 where the tree is being made, or others keep changing it.
   */
  async inspectPart(from: InspectionCursor, { keys }: Member): Promise<InspectionResult> {
    const { host } = this.#parts
    return retryUntilStable(this.#parts, async (folded, version) => {
      const part =
        from.phase === 'tree'
          ? await this.#inspectTree(from.after, folded, version, keys.tree)
          : await this.#inspectRecords(from.after, keys.tree)
      const { suspects, ...found } = part
      const faults = await findFaults({ host, keys: keys.tree }, folded, suspects)
      return faults ? { ...found, faults: faults.map(({ key, fault }) => ({ key, fault })) } : TREE_BEHIND_LOG
    })
  }

  /** Those of these records that are wrong. @throws as {@link inspectPart}. */
  findFaults(suspects: readonly string[], { keys }: Member): Promise<readonly FaultWithLeaf[]> {
    return retryUntilStable(
      this.#parts,
      async (folded) => (await findFaults({ host: this.#parts.host, keys: keys.tree }, folded, suspects)) ?? TREE_BEHIND_LOG,
    )
  }

  /** Brings the tree to what is stored of these records. What is left is as it was, since another kernel has the claim. */
  async repair(wanted: readonly string[], member: Member, fence: Fence): Promise<RepairResult> {
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

  /** A tree whose records are damaged where they were to be changed is made of what is stored. @throws `error` where that is no damage. */
  async #rebuildIfDamaged(error: unknown): Promise<undefined> {
    if (!isDamaged(error)) throw error
    await this.#parts.treeMaintainer.rebuild()
  }

  /** Undefined where the tree has to be brought up to the log first, or was changed meanwhile. */
  async #repairSome(wanted: readonly string[], { keys, relation }: Member, fence: Fence): Promise<RepairResult | undefined> {
    const { host, treeMaintainer } = this.#parts
    const { store, kind } = host
    const { value: folded, version } = await kind.treeProgress.read(store)
    const faults = folded && !folded.building ? await findFaults({ host, keys: keys.tree }, folded, wanted) : undefined
    if (!folded || !faults) return undefined
    const changes = faults.map(({ key, leaf }) => ({ key, leaf }))
    const { records, took } = await fold({ ...treeIn(host), keys: keys.tree, domainOf: kind.domainOf }, changes, MOST_OPS - 4)
    const left = faults.slice(took).map(({ key }) => key)
    if (records.length === 0) return { repaired: 0, left }
    const roots = await treeMaintainer.roots.after(records, folded, version)
    const root = treeMaintainer.roots.rootOver(roots)
    // What was noted at this position was the root of something else, unless that was the set's before an epoch that began otherwise.
    const noted = checkpointSlot(kind, folded.index)
    const known = folded.index < exactFrom(relation.history) ? undefined : await noted.read(store)
    const verdict = await store.commit([
      ...treeOps(host, records),
      kind.treeProgress.put(store, { ...folded, root }, version),
      ...(known?.value ? [noted.put(store, { ...known.value, root }, known.version)] : []),
      ...checksOf([fence]),
    ])
    if (!verdict.ok) return undefined
    treeMaintainer.roots.set(roots, verdict.revision)
    return { repaired: took, left }
  }

  async #inspectTree(after: string, folded: TreeProgress, version: number, keys: TreeKeys): Promise<PartResult> {
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
      isRootWrong: next === undefined && (await this.#isRootWrong(folded)),
      suspects,
      inspectedKeys: entries.length,
      next: next === undefined ? { phase: 'records', after: '' } : { phase: 'tree', after: next },
    }
  }

  /** Counts go on while the tree stands still; the domain that somebody begins within is not counted. */
  #countsFrom(after: string, version: number): Counts {
    if (after === '') return new Map()
    if (this.#lastCounts?.version === version && this.#lastCounts.next === after) return this.#lastCounts.counts
    return new Map([[parseRecordName(after).domain, Number.NaN]])
  }

  async #isRootWrong({ root }: TreeProgress): Promise<boolean> {
    const tree = treeIn(this.#parts.host)
    try {
      return toHex(rootOverAll(tree.sha256, await readRoots(tree))) !== root
    } catch (error) {
      // A root that is damaged is found where it is.
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
