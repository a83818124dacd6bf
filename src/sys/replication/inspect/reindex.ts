/**
 * Brings the tree to what is stored, all of it, in ticks: what is stored counts, on a primary too. How far it has come is noted, so a crash
 * and another kernel that takes over go on there.
 */
import { conflict } from '../../../core/base/errors.ts'
import { BEGINNING, type InspectionCursor } from './inspection.ts'
import { type Inspector, isTreeWrong } from './inspector.ts'
import type { InspectionProgress } from './merkle-check.ts'
import { readNote, reindexSlot, type StoredReindex, updateFindings } from './stored-inspections.ts'

export class Reindex {
  readonly #inspector: Inspector
  #running: Promise<boolean> | undefined

  constructor(inspector: Inspector) {
    this.#inspector = inspector
  }

  /**
   * Begins one, or goes on with one that was stopped.
   * @param anew The tree is thrown away first.
   * @throws KernelError 400 where the cluster is in no set, and where one is running.
   */
  async begin(anew: boolean): Promise<void> {
    const { host, membership } = this.#inspector.parts
    await membership.member()
    const { value, version } = await this.#noted()
    if (value && !value.stopped) throw alreadyRunning()
    const { stopped: _, ...stopped } = value ?? { ...(await this.#first()) }
    const next: StoredReindex = anew ? { ...(await this.#first()), rebuild: 'wanted' } : stopped
    const { ok } = await host.store.commit([reindexSlot(host.kind).put(host.store, next, version)])
    if (!ok) throw alreadyRunning()
  }

  async #first(): Promise<StoredReindex> {
    const { host } = this.#inspector.parts
    const total = await this.#inspector.estimateTotal()
    return { startedAt: host.clock.now(), at: BEGINNING, done: 0, total, repaired: 0, unreadable: 0 }
  }

  #noted() {
    const { host } = this.#inspector.parts
    return readNote(host, reindexSlot(host.kind))
  }

  /** @throws KernelError 400 where one is running. */
  async assertNotRunning(): Promise<void> {
    const { value } = await this.#noted()
    if (value && !value.stopped) throw alreadyRunning()
  }

  /** It keeps what it has done. @returns False where none is running. */
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

  /** How far one has come that is running. */
  async progress(): Promise<InspectionProgress | undefined> {
    const { value } = await this.#noted()
    if (!value || value.stopped) return undefined
    return { done: value.done, total: value.total === null ? null : Math.max(value.total, value.done) }
  }

  /** Looks at so many parts. One turn at a time. @returns Whether there is more to do for this kernel. */
  runParts(parts: number): Promise<boolean> {
    this.#running ??= this.#runParts(parts).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #runParts(parts: number): Promise<boolean> {
    const { host, membership, treeMaintainer, fence } = this.#inspector.parts
    const member = await membership.current()
    if (!member) return false
    const { value, version } = await this.#noted()
    if (!value || value.stopped) return false
    const held = await fence()
    if (!held) return false
    if (value.rebuild === 'wanted') {
      await treeMaintainer.rebuild()
      return this.#note({ ...value, rebuild: 'begun' }, version)
    }
    if (value.rebuild === 'begun' && !(await treeMaintainer.run())) return false
    let { rebuild: _, ...now } = value
    let next: InspectionCursor | undefined = now.at
    for (let count = 0; next && count < parts; count++) {
      host.env.closing.throwIfAborted()
      const began = host.clock.now()
      const found = await this.#inspector.inspection.inspectPart(next, member)
      // A tree that does not fit together tells of nothing else.
      if (isTreeWrong(found)) return this.#note({ ...now, rebuild: 'wanted', at: BEGINNING, done: 0 }, version)
      const wrong = found.faults.map(({ key }) => key)
      const { repaired, left } = await this.#inspector.inspection.repair(wrong, member, held)
      // The next turn looks at this part again.
      if (left.length > 0) break
      const unreadable = found.faults.filter(({ fault }) => fault === 'unreadable').length
      next = found.next
      now = {
        ...now,
        at: next ?? now.at,
        done: now.done + found.inspectedKeys,
        repaired: now.repaired + repaired,
        unreadable: now.unreadable + unreadable,
      }
      await this.#inspector.pause(began)
    }
    return next ? this.#note(now, version) : this.#end(now, version)
  }

  /** False where somebody has stopped it, or another kernel is at it. */
  async #note(reindexing: StoredReindex, version: number): Promise<boolean> {
    const { store, kind } = this.#inspector.parts.host
    return (await store.commit([reindexSlot(kind).put(store, reindexing, version)])).ok
  }

  async #end({ repaired, unreadable }: StoredReindex, version: number): Promise<false> {
    const { host, membership, treeMaintainer } = this.#inspector.parts
    const { ok } = await host.store.commit([{ op: 'del', key: reindexSlot(host.kind).key, expect: version }])
    if (!ok) return false
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

const alreadyRunning = () => conflict('a reindex is running already')
