/**
 * Runs inspections and acts on their results. A secondary first corrects its tree to match its store, and then copies the differing records
 * from the primary. A primary only reports damage, and keeps the tree, which shows the values that the kernel wrote.
 */
import type { Fence } from '../../../core/transaction/keyspace.ts'
import type { TreeMaintainer } from '../log/tree-maintainer.ts'
import { leafOrUnreadable } from '../log/tree-updater.ts'
import type { Membership, SetMember } from '../membership.ts'
import { Schedule } from '../schedule.ts'
import type { SetHost } from '../state/set-host.ts'
import { compareHashes } from '../tree/hash-list.ts'
import { isUnreadable, knownLeaves } from './find-faults.ts'
import { BEGINNING, Inspection, type InspectionCursor, type InspectionResult } from './inspection.ts'
import { readFindings, updateFindings } from './stored-inspections.ts'
import { walkParts } from './walk.ts'

export interface InspectorParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly treeMaintainer: TreeMaintainer
  readonly fence: () => Promise<Fence | undefined>
  /** Publishes the event that damage was found. */
  readonly reportDivergence: () => void
}

/** An inspection compares the store with the tree in small parts. One call of {@link Inspector.scrub} inspects this number of parts. */
const PARTS_PER_SCRUB = 40

const SCRUB_INTERVAL_MS = 10_000

export class Inspector {
  readonly parts: InspectorParts
  readonly inspection: Inspection
  /** Whether background work runs continuously, and not only in calls of `kernel.tick()`. */
  runsWithoutTicks = false
  readonly #scrubbing: Schedule
  #at: InspectionCursor = BEGINNING
  /** Whether the current inspection has found no damage so far; undefined if no inspection has begun. */
  #isClean: boolean | undefined

  constructor(parts: InspectorParts) {
    this.parts = parts
    this.inspection = new Inspection(parts)
    this.#scrubbing = new Schedule(parts.host.clock, SCRUB_INTERVAL_MS)
  }

  /** Whether {@link scrub} should be called now. */
  get isScrubDue(): boolean {
    return this.#scrubbing.isDue
  }

  /** Inspects the next parts. After the last part of the store, the next call begins a new inspection. */
  async scrub(): Promise<void> {
    this.#scrubbing.begin()
    // The follower waits for the scrub, so the scrub does not rest.
    for await (const { found, member } of walkParts(this, this.#at, { parts: PARTS_PER_SCRUB, mayRest: () => false })) {
      if (this.#at === BEGINNING) this.#isClean = true
      if (hasFindings(found)) this.#isClean = false
      // If this part cannot be repaired now, continue with the next one: the next inspection of the store tries again.
      this.#at = found.next ?? BEGINNING
      await this.handleResult(found, member)
      if (!found.next && this.#isClean) await this.#noteClean()
    }
  }

  /** Acts on the result of an inspection. @returns The number of leaves in the tree that were corrected. */
  async handleResult(found: InspectionResult, member: SetMember): Promise<number> {
    const { host, treeMaintainer, fence, reportDivergence } = this.parts
    const { faults } = found
    if (!hasFindings(found)) return 0
    if (isTreeWrong(found)) await treeMaintainer.rebuild()
    if (this.isFollowed(member)) {
      const before = await readFindings(host)
      if (faults.length > 0)
        await updateFindings(host, (now) => ({ ...now, corrupted: true, faults: Math.max(now.faults, faults.length) }))
      if (isTreeWrong(found) || before.faults === 0) reportDivergence()
      return 0
    }
    reportDivergence()
    const held = faults.length > 0 ? await fence() : undefined
    if (!held) return 0
    const { repaired } = await this.inspection.repair(
      faults.map(({ key }) => key),
      member,
      held,
    )
    await treeMaintainer.requireComparison()
    return repaired
  }

  /**
   * Whether a stored record has the value that the kernel wrote. Damage is recorded as for an inspection. The caller must not send a damaged
   * record to another cluster.
   *
   * @param stored The stored value; undefined if the record does not exist.
   */
  async verifyRecord(key: string, stored: Uint8Array | undefined, member: SetMember): Promise<boolean> {
    const parts = { host: this.parts.host, keys: member.keys.tree }
    const [known] = await knownLeaves(parts, [key])
    const leaf = stored && (await leafOrUnreadable(parts.host, parts.keys, key, stored))
    if (known && leaf && !isUnreadable(leaf) && compareHashes(known, leaf) === 0) return true
    const faults = await this.inspection.findFaults([key], member)
    await this.handleResult({ findings: [], isRootWrong: false, faults, inspectedKeys: 1, next: undefined }, member)
    return faults.length === 0
  }

  /**
   * Whether other clusters rely on the records of this cluster. This is so if the cluster is a primary, or a demoted primary that has no new
   * primary yet.
   */
  isFollowed({ relation }: SetMember): boolean {
    return this.parts.membership.mode === 'primary' || (relation.certificate !== undefined && relation.upstream === undefined)
  }

  async #noteClean(): Promise<void> {
    const { host } = this.parts
    const { corrupted, faults } = await readFindings(host)
    if (corrupted || faults > 0) await updateFindings(host, (now) => ({ ...now, corrupted: false, faults: 0 }))
  }
}

export const isTreeWrong = ({ findings, isRootWrong }: InspectionResult): boolean => findings.length > 0 || isRootWrong

const hasFindings = (found: InspectionResult): boolean => isTreeWrong(found) || found.faults.length > 0
