/** Checks the whole store when `merkleCheck` is called. After a crash or a stop, the next call continues from the stored progress. */
import { KernelError } from '../../../core/base/errors.ts'
import { treeIn } from '../state/tree-store.ts'
import { isDamaged } from '../tree/check.ts'
import { readRoots } from '../tree/stored-tree.ts'
import type { RecordFault } from './find-faults.ts'
import type { InspectionResult } from './inspection.ts'
import { type Inspector, isTreeWrong } from './inspector.ts'
import { type CorruptionReport, type DomainRoot, reportOf } from './report.ts'
import { checkSlot, endNote, readNote, type StoredCheck, storeNote, updateFindings } from './stored-inspections.ts'
import { advanced, type InspectionProgress, newWalk, shownProgress, walkParts } from './walk.ts'

export interface CheckResult {
  readonly report: CorruptionReport
  /** The faults found, at most 1000. */
  readonly faults: readonly RecordFault[]
}

/** The maximum number of faults, and the maximum number of findings in the tree, that the check keeps. */
const MAX_KEPT = 1000

/** The store is inspected in small parts. After this number of parts, the progress is committed. */
const PARTS_PER_NOTE = 64

/** An interrupted check that began longer ago than this starts over. */
const MAX_RESUME_AGE_MS = 86_400_000

const stoppedCheck = () =>
  new KernelError(
    'ERR_UNAVAILABLE',
    'the check was stopped or is now run by another kernel; call merkleCheck again to continue it',
  )

export class MerkleCheck {
  readonly #inspector: Inspector
  #running: Promise<CheckResult> | undefined
  #stopped = false
  /** The progress of the check that this kernel runs; undefined if it runs none. */
  progress: InspectionProgress | undefined

  constructor(inspector: Inspector) {
    this.#inspector = inspector
  }

  /**
   * Runs or continues a check. A call during a check waits for the result of that check.
   * @throws KernelError 400 if the cluster is not in a set; 503 if the check was stopped.
   */
  run(): Promise<CheckResult> {
    if (!this.#running) {
      this.#stopped = false
      this.#running = this.#run().finally(() => {
        this.#running = undefined
        this.progress = undefined
      })
    }
    return this.#running
  }

  /**
   * Stops a running check. Pending calls of `run` fail, and a later call continues the check.
   * @throws KernelError 400 if the cluster is not in a set.
   */
  async stop(): Promise<void> {
    const { host, membership } = this.#inspector.parts
    await membership.member()
    this.#stopped = true
    await this.#running?.catch(() => {})
    const { value, version } = await readNote(host, checkSlot(host.kind))
    // Rewriting the stored progress changes its version. If another kernel runs the check, its next commit then conflicts, which stops it.
    if (value) await host.store.commit([checkSlot(host.kind).put(host.store, value, version)])
  }

  async #run(): Promise<CheckResult> {
    const { host, membership, treeMaintainer } = this.#inspector.parts
    await membership.member()
    const noted = await readNote(host, checkSlot(host.kind))
    // Fold the log first: a stored record that was replaced by its older version equals its leaf until the newer version is folded.
    await treeMaintainer.run()
    let check = this.#canResume(noted.value) ? noted.value : await this.#begin()
    let version = await this.#note(check, noted.version)
    const pace = { parts: Number.POSITIVE_INFINITY, mayRest: () => this.#inspector.runsWithoutTicks }
    let parts = 0
    for await (const { found, member } of walkParts(this.#inspector, check.at, pace)) {
      if (membership.role.era !== check.era)
        throw new KernelError('ERR_UNAVAILABLE', 'the role of this cluster has changed; retry')
      check = withResult(advanced(check, found), found)
      this.progress = shownProgress(check)
      if (!this.#inspector.isFollowed(member))
        await this.#inspector.handleResult({ ...found, findings: [], isRootWrong: false }, member)
      if (!found.next) return this.#end(check, version)
      if (this.#stopped || ++parts % PARTS_PER_NOTE === 0) version = await this.#note(check, version)
      if (this.#stopped) throw stoppedCheck()
    }
    await membership.member()
    throw stoppedCheck()
  }

  #canResume(stored: StoredCheck | undefined): stored is StoredCheck {
    const { host, membership } = this.#inspector.parts
    const age = host.clock.now() - (stored?.startedAt ?? 0)
    return stored !== undefined && stored.era === membership.role.era && age >= 0 && age < MAX_RESUME_AGE_MS
  }

  async #begin(): Promise<StoredCheck> {
    const { host, membership } = this.#inspector.parts
    return {
      ...(await newWalk(host)),
      era: membership.role.era,
      faults: [],
      findings: [],
      isRootWrong: false,
      more: 0,
    }
  }

  async #note(check: StoredCheck, version: number): Promise<number> {
    const { host } = this.#inspector.parts
    const stored = await storeNote(host, checkSlot(host.kind), check, version)
    if (stored === undefined) throw stoppedCheck()
    return stored
  }

  async #end(check: StoredCheck, version: number): Promise<CheckResult> {
    const { host, membership, treeMaintainer, reportDivergence } = this.#inspector.parts
    const { faults, more, findings, isRootWrong } = check
    const member = await membership.member()
    if (!(await endNote(host, checkSlot(host.kind), version))) throw stoppedCheck()
    const now = host.clock.now()
    const isWrong = isTreeWrong({ ...check, inspectedKeys: 0, next: undefined })
    if (isWrong) await treeMaintainer.rebuild()
    const corrupted = isWrong || faults.length > 0
    const own = this.#inspector.isFollowed(member) ? faults.length + more : 0
    await updateFindings(host, (found) => ({ ...found, checked: now, corrupted, faults: own }))
    if (corrupted) reportDivergence()
    const report = reportOf(
      { findings, faults, isRootWrong },
      {
        kind: host.kind,
        sha256: treeIn(host).sha256,
        roots: await this.#roots(),
        at: now,
        hashOf: (key) => member.keys.tree.hashOf(key),
      },
    )
    return { report, faults }
  }

  /** Returns the roots of all domains; an empty list if one of the roots is damaged. */
  async #roots(): Promise<readonly DomainRoot[]> {
    try {
      return [...(await readRoots(treeIn(this.#inspector.parts.host)))]
    } catch (error) {
      if (!isDamaged(error)) throw error
      return []
    }
  }
}

/** Adds the result of a part. Keys that are already in the list are left out: a record can be found twice, in the tree and in the store. */
function withResult(check: StoredCheck, found: InspectionResult): StoredCheck {
  const known = new Set(check.faults.map(({ key }) => key))
  const faults = [...check.faults, ...found.faults.filter(({ key }) => !known.has(key))]
  const findings = [...check.findings, ...found.findings]
  return {
    ...check,
    faults: faults.slice(0, MAX_KEPT),
    findings: findings.slice(0, MAX_KEPT),
    isRootWrong: check.isRootWrong || found.isRootWrong,
    more: check.more + Math.max(0, faults.length - MAX_KEPT) + Math.max(0, findings.length - MAX_KEPT),
  }
}
