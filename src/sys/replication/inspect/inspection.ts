/**
 * Everything that is stored is held against the tree, and the tree against itself, a few records at a time: first the records of the tree,
 * and whether what they know of is there, then the records of the store. It reads what is stored, and holds up no writer.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import { MOST_OPS } from '../../../core/storage/most-ops.ts'
import type { Fence } from '../../../core/transaction/place.ts'
import { checksOf } from '../../../core/transaction/writes.ts'
import { checkpoint, leafOfAny } from '../log/folder.ts'
import { BEHIND, steadily } from '../log/steadily.ts'
import type { Upkeep } from '../log/upkeep.ts'
import type { Member } from '../membership.ts'
import { exactFrom } from '../state/history.ts'
import type { Folded } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn, treeOps } from '../state/tree-store.ts'
import { type Counts, checkPart, type Finding, isDamaged, placeOf } from '../tree/check.ts'
import { fold } from '../tree/fold.ts'
import { compareHashes } from '../tree/hash-list.ts'
import { rootOverAll } from '../tree/levels.ts'
import { readRoots } from '../tree/stored-tree.ts'
import type { TreeKeys } from '../tree/tree-keys.ts'
import { isUnreadable, type JudgedFault, judge, knownLeaves, type RecordFault } from './judge.ts'

/** How far somebody has come: the records behind this name, or key, are next. A prefix of keys stands in front of all of them. */
export interface Position {
  readonly phase: 'tree' | 'records'
  readonly after: string
}

export const BEGINNING: Position = { phase: 'tree', after: '' }

export interface Inspected {
  readonly findings: readonly Finding[]
  /** Whether the root over all domains is another one than the domains come to. */
  readonly isRootWrong: boolean
  readonly faults: readonly RecordFault[]
  /** Keys that the tree knows of, or that are stored. */
  readonly looked: number
  /** Undefined behind the last part. */
  readonly next: Position | undefined
}

export interface Mended {
  /** How many records the tree had otherwise. */
  readonly mended: number
  readonly left: readonly string[]
}

export interface InspectionParts {
  readonly host: SetHost
  readonly upkeep: Upkeep
}

/** Records of the tree, or of the store, in one part: whoever writes beside it waits for no more than a few of them. */
const PER_PART = 16

/** Keys whose presence is looked up at a time. */
const MOST_KEYS = 256

const MOST_TRIES = 100

type Part = Omit<Inspected, 'faults'> & { readonly suspects: readonly string[] }

export class Inspection {
  readonly #parts: InspectionParts
  /** What was counted while the tree had this version. */
  #counted: { readonly version: number; readonly counts: Counts; readonly next: string } | undefined

  constructor(parts: InspectionParts) {
    this.#parts = parts
  }

  /**
   * Looks at a part.
   * @throws KernelError 503 where the tree is being made, or others keep changing it.
   */
  async part(from: Position, { keys }: Member): Promise<Inspected> {
    const { host } = this.#parts
    return steadily(this.#parts, async (folded, version) => {
      const part =
        from.phase === 'tree'
          ? await this.#ofTree(from.after, folded, version, keys.tree)
          : await this.#ofRecords(from.after, keys.tree)
      const { suspects, ...found } = part
      const faults = await judge({ host, keys: keys.tree }, folded, suspects)
      return faults ? { ...found, faults: faults.map(({ key, fault }) => ({ key, fault })) } : BEHIND
    })
  }

  /** Those of these records that are wrong. @throws as {@link part}. */
  judge(suspects: readonly string[], { keys }: Member): Promise<readonly JudgedFault[]> {
    return steadily(
      this.#parts,
      async (folded) => (await judge({ host: this.#parts.host, keys: keys.tree }, folded, suspects)) ?? BEHIND,
    )
  }

  /** Brings the tree to what is stored of these records. What is left is as it was, since another kernel has the claim. */
  async mend(wanted: readonly string[], member: Member, fence: Fence): Promise<Mended> {
    const { host, upkeep } = this.#parts
    let mended = 0
    let left = wanted
    for (let tries = 0; left.length > 0 && tries < MOST_TRIES; ) {
      const done = await upkeep.still(() => this.#mendSome(left, member, fence)).catch((error: unknown) => this.#makeAnew(error))
      if (done) {
        mended += done.mended
        left = done.left
        continue
      }
      tries++
      if (!(await upkeep.run())) break
      host.env.closing.throwIfAborted()
    }
    return { mended, left }
  }

  /** A tree whose records are damaged where they were to be changed is made of what is stored. @throws `error` where that is no damage. */
  async #makeAnew(error: unknown): Promise<undefined> {
    if (!isDamaged(error)) throw error
    await this.#parts.upkeep.rebuild()
  }

  /** Undefined where the tree has to be brought up to the log first, or was changed meanwhile. */
  async #mendSome(wanted: readonly string[], { keys, relation }: Member, fence: Fence): Promise<Mended | undefined> {
    const { host, upkeep } = this.#parts
    const { store, kind } = host
    const { value: folded, version } = await kind.folded.read(store)
    const faults = folded && !folded.building ? await judge({ host, keys: keys.tree }, folded, wanted) : undefined
    if (!folded || !faults) return undefined
    const changes = faults.map(({ key, leaf }) => ({ key, leaf }))
    const { records, took } = await fold({ ...treeIn(host), keys: keys.tree, domainOf: kind.domainOf }, changes, MOST_OPS - 4)
    const left = faults.slice(took).map(({ key }) => key)
    if (records.length === 0) return { mended: 0, left }
    const roots = await upkeep.roots.after(records, folded, version)
    const root = upkeep.roots.rootOver(roots)
    // What was noted at this position was the root of something else, unless that was the set's before an epoch that began otherwise.
    const noted = checkpoint(kind, folded.index)
    const known = folded.index < exactFrom(relation.history) ? undefined : await noted.read(store)
    const verdict = await store.commit([
      ...treeOps(host, records),
      kind.folded.put(store, { ...folded, root }, version),
      ...(known?.value ? [noted.put(store, { ...known.value, root }, known.version)] : []),
      ...checksOf([fence]),
    ])
    if (!verdict.ok) return undefined
    upkeep.roots.stored(roots, verdict.revision)
    return { mended: took, left }
  }

  async #ofTree(after: string, folded: Folded, version: number, keys: TreeKeys): Promise<Part> {
    const { host } = this.#parts
    const tree = treeIn(host)
    const counts = this.#countsFrom(after, version)
    const { findings, entries, next } = await checkPart(tree, after === '' ? undefined : after, PER_PART, counts)
    this.#counted = next === undefined ? undefined : { version, counts, next }
    const suspects: string[] = []
    const moved: Finding[] = []
    for (let from = 0; from < entries.length; from += MOST_KEYS) {
      const some = entries.slice(from, from + MOST_KEYS)
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
      looked: entries.length,
      next: next === undefined ? { phase: 'records', after: '' } : { phase: 'tree', after: next },
    }
  }

  /** Counts go on while the tree stands still; the domain that somebody begins within is not counted. */
  #countsFrom(after: string, version: number): Counts {
    if (after === '') return new Map()
    if (this.#counted?.version === version && this.#counted.next === after) return this.#counted.counts
    return new Map([[placeOf(after).domain, Number.NaN]])
  }

  async #isRootWrong({ root }: Folded): Promise<boolean> {
    const tree = treeIn(this.#parts.host)
    try {
      return toHex(rootOverAll(tree.sha256, await readRoots(tree))) !== root
    } catch (error) {
      // A root that is damaged is found where it is.
      if (isDamaged(error)) return false
      throw error
    }
  }

  async #ofRecords(after: string, keys: TreeKeys): Promise<Part> {
    const { host } = this.#parts
    const { sends } = host.kind
    const prefix = sends.find((one) => after.startsWith(one)) ?? (sends[0] as string)
    const isFirst = after === '' || after === prefix
    const page = await host.store.page(prefix, isFirst ? { limit: PER_PART } : { after, limit: PER_PART })
    const known = await knownLeaves(
      { host, keys },
      page.map(({ key }) => key),
    )
    const suspects: string[] = []
    for (const [at, { key, value }] of page.entries()) {
      const leaf = await leafOfAny(host, keys, key, value)
      const before = known[at]
      if (!before || isUnreadable(leaf) || compareHashes(before, leaf) !== 0) suspects.push(key)
    }
    await host.clock.sleep(0)
    const next = page.length < PER_PART ? sends[sends.indexOf(prefix) + 1] : page.at(-1)?.key
    return {
      findings: [],
      isRootWrong: false,
      suspects,
      looked: page.length,
      next: next === undefined ? undefined : { phase: 'records', after: next },
    }
  }
}
