/**
 * Corrects the whole tree to match the store. A reindex assumes that the store is correct, even on a primary. The reindex is background work,
 * and its progress is stored, so that it continues after a crash or in another kernel.
 */
import { conflict } from '../../../core/base/errors.ts'
import { BEGINNING } from './inspection.ts'
import { type Inspector, isTreeWrong } from './inspector.ts'
import { endNote, readNote, reindexSlot, type StoredReindex, storeNote, updateFindings } from './stored-inspections.ts'
import { advanced, type InspectionProgress, newWalk, shownProgress, walkParts } from './walk.ts'

export class Reindex {
  readonly #inspector: Inspector
  #running: Promise<boolean> | undefined
  /** Whether a stored reindex may have to continue. */
  #mayContinue = true
  #isListening = false

  constructor(inspector: Inspector) {
    this.#inspector = inspector
  }

  /**
   * Starts a reindex, or continues one that was stopped.
   *
   * @param discardTree Whether to discard the tree first, and build a new one.
   * @throws KernelError 400 if the cluster is not in a set, or if a reindex is running.
   */
  async begin(discardTree: boolean): Promise<void> {
    const { host, membership } = this.#inspector.parts
    await membership.member()
    const { value, version } = await this.#noted()
    if (value && !value.stopped) throw alreadyRunning()
    const { stopped: _, ...stopped } = value ?? { ...(await this.#first()) }
    const next: StoredReindex = discardTree ? { ...(await this.#first()), rebuild: 'wanted' } : stopped
    const { ok } = await host.store.commit([reindexSlot(host.kind).put(host.store, next, version)])
    if (!ok) throw alreadyRunning()
    this.#mayContinue = true
  }

  /** Begins to note when a reindex is stored. Necessary once this kernel has found that there is nothing to continue. */
  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    const { cache, kind } = this.#inspector.parts.host
    const { key } = reindexSlot(kind)
    cache.onChange(({ keys }) => {
      if (!keys || keys.includes(key)) this.#mayContinue = true
    })
  }

  async #first(): Promise<StoredReindex> {
    const { host } = this.#inspector.parts
    return { ...(await newWalk(host)), repaired: 0, unreadable: 0 }
  }

  #noted() {
    const { host } = this.#inspector.parts
    return readNote(host, reindexSlot(host.kind))
  }

  /** Called when the kernel is sealed or closed: from now on it receives no reports of a reindex that another kernel begins. */
  end(): void {
    this.#mayContinue = true
  }

  /** @throws KernelError 400 if a reindex is running. */
  async assertNotRunning(): Promise<void> {
    const { value } = await this.#noted()
    if (value && !value.stopped) throw alreadyRunning()
  }

  /** Stops the reindex and keeps its progress. @returns False if no reindex is running. */
  async stop(): Promise<boolean> {
    const { host } = this.#inspector.parts
    for (;;) {
      const { value, version } = await this.#noted()
      if (!value || value.stopped) return false
      const { ok } = await host.store.commit([reindexSlot(host.kind).put(host.store, { ...value, stopped: true }, version)])
      if (ok) return true
      await host.clock.sleep(0)
    }
  }

  /** Returns the progress of a running reindex; undefined if no reindex is running. */
  async progress(): Promise<InspectionProgress | undefined> {
    const { value } = await this.#noted()
    if (!value || value.stopped) return undefined
    return shownProgress(value)
  }

  /**
   * Inspects up to `parts` of the small parts into which the inspection divides the store. Concurrent calls share one inspection. @returns
   * Whether this kernel must inspect more parts.
   */
  async runParts(parts: number): Promise<boolean> {
    if (!this.#mayContinue) return false
    this.#running ??= this.#runParts(parts).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #runParts(parts: number): Promise<boolean> {
    const { membership, treeMaintainer, fence } = this.#inspector.parts
    if (!(await membership.current())) return false
    this.#listen()
    // Set the mark before the read, because a reindex may begin during the read.
    this.#mayContinue = false
    const { value, version } = await this.#noted().catch((error: unknown) => {
      this.#mayContinue = true
      throw error
    })
    if (!value || value.stopped) return false
    this.#mayContinue = true
    const held = await fence()
    if (!held) return false
    if (value.rebuild === 'wanted') {
      await treeMaintainer.rebuild()
      return this.#note({ ...value, rebuild: 'begun' }, version)
    }
    // Fold the log also without a rebuild: an older version of a stored record equals its leaf until the newer version is folded.
    if (!(await treeMaintainer.run())) return false
    let { rebuild: _, ...now } = value
    for await (const { found, member } of walkParts(this.#inspector, now.at, {
      parts,
      mayRest: () => this.#inspector.runsWithoutTicks,
    })) {
      // The tree is inconsistent, so rebuild it before comparing stored records with it.
      if (isTreeWrong(found)) return this.#note({ ...now, rebuild: 'wanted', at: BEGINNING, done: 0 }, version)
      const wrong = found.faults.map(({ key }) => key)
      const { repaired, left } = await this.#inspector.inspection.repair(wrong, member, held)
      // Some leaves could not be corrected. Stop here, so that the next call inspects this part again.
      if (left.length > 0) break
      const unreadable = found.faults.filter(({ fault }) => fault === 'unreadable').length
      now = advanced({ ...now, repaired: now.repaired + repaired, unreadable: now.unreadable + unreadable }, found)
      if (!found.next) return this.#end(now, version)
    }
    return this.#note(now, version)
  }

  /** Stores the progress. Returns false if the reindex was stopped, or if another kernel runs it. */
  async #note(reindex: StoredReindex, version: number): Promise<boolean> {
    const { host } = this.#inspector.parts
    return (await storeNote(host, reindexSlot(host.kind), reindex, version)) !== undefined
  }

  async #end({ repaired, unreadable }: StoredReindex, version: number): Promise<false> {
    const { host, membership, treeMaintainer } = this.#inspector.parts
    if (!(await endNote(host, reindexSlot(host.kind), version))) return false
    const member = await membership.current()
    const isFollowed = member !== undefined && this.#inspector.isFollowed(member)
    const now = host.clock.now()
    await updateFindings(host, (found) => ({
      ...found,
      reindexed: now,
      corrupted: unreadable > 0,
      faults: isFollowed ? unreadable : 0,
    }))
    if (!isFollowed && repaired > 0) await treeMaintainer.requireComparison()
    return false
  }
}

const alreadyRunning = () => conflict('a reindex is already running')
