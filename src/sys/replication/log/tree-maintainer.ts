/**
 * Background maintenance of the Merkle tree: folds the log into the tree, that is, applies the log entries to it, and truncates the log
 * afterwards.
 */

import { isDamage } from '../../../core/barrier/is-damage.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import { isConsistent } from '../follow/read-records.ts'
import type { Membership, SetMember } from '../membership.ts'
import { deleteBelow } from '../state/delete-below.ts'
import { exactFrom, lastOf, originAt } from '../state/history.ts'
import { type TreeProgress, unbuiltTree } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn } from '../state/tree-store.ts'
import { buildTree } from './build-tree.ts'
import { DomainRoots } from './domain-roots.ts'
import { entryBeforeOldest, newestEntry } from './log-pages.ts'
import { type LevelTree, MaintenanceSchedule } from './maintenance-schedule.ts'
import { type Checkpoint, checkpointSlot, TreeUpdater } from './tree-updater.ts'
import { type LogBounds, truncateLog } from './truncate-log.ts'

export interface TreeMaintainerParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly bounds: LogBounds
  readonly fence: () => Promise<Fence | undefined>
  /** Returns the index up to which this cluster has applied the primary's records, as far as this process knows. */
  readonly applied: () => number | undefined
}

const MAX_TRIES = 20

export class TreeMaintainer {
  readonly #parts: TreeMaintainerParts
  /** Every function that writes the tree must keep this cache up to date. */
  readonly roots: DomainRoots
  #updater: { readonly of: SetMember['keys']; readonly updater: TreeUpdater } | undefined
  #running: Promise<boolean> | undefined
  #next: Promise<boolean> | undefined
  readonly #schedule: MaintenanceSchedule

  constructor(parts: TreeMaintainerParts) {
    this.#parts = parts
    this.roots = new DomainRoots(treeIn(parts.host))
    const { clock, cache, kind } = parts.host
    this.#schedule = new MaintenanceSchedule(clock, parts.bounds.maxAgeMs)
    cache.onChange(({ keys }) => {
      if (!keys || keys.includes(kind.treeProgress.key)) this.#schedule.expedite()
    })
  }

  /** Calls {@link run} if {@link isRunDue}. Returns undefined if no run was due. */
  async runIfDue(): Promise<boolean | undefined> {
    return this.isRunDue ? this.run() : undefined
  }

  /** Called when the kernel is sealed or closed: from now on it receives no reports of changes by other kernels. */
  end(): void {
    this.#schedule.expedite()
  }

  /** Whether the log has many entries that the tree lacks, or the last run was a while ago. */
  get isRunDue(): boolean {
    return this.#schedule.isRunDue(this.#levelNow())
  }

  #levelNow(): LevelTree {
    const { host, applied, membership } = this.#parts
    return { keys: membership.known?.keys, entry: host.store.commits.newestEntry, applied: applied() }
  }

  /**
   * Applies to the tree all entries that are in the log at the time of the call. Returns false if another kernel maintains the tree.
   *
   * Only one run is active at a time. A call during a run waits for a second run, because the active run may have read the log before the
   * call.
   */
  run(): Promise<boolean> {
    if (this.#running) {
      const again = (): Promise<boolean> => {
        this.#next = undefined
        return this.run()
      }
      this.#next ??= this.#running.then(again, again)
      return this.#next
    }
    this.#running = this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Runs work while no run of this kernel changes the tree. `work` must not call `run`. */
  async withTreePaused<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running) await this.#running.catch(() => {})
    const done = work()
    this.#running = done
      .then(
        () => true,
        () => true,
      )
      .finally(() => {
        this.#running = undefined
      })
    return done
  }

  /**
   * Makes the next run rebuild the tree from the store. Returns false if another kernel maintains the tree, or if it is already being built.
   */
  async rebuild(): Promise<boolean> {
    const fence = await this.#parts.fence()
    return fence !== undefined && this.#rebuild(fence)
  }

  /**
   * Whether the root of this cluster's tree at a position differs from `root`. Returns false if this cluster does not know its root at that
   * position.
   */
  async differsAt({ index, root, origin }: Checkpoint): Promise<boolean> {
    const { value } = await checkpointSlot(this.#parts.host.kind, index).read(this.#parts.host.store)
    const own = value ?? (await this.#currentRoot())
    return own !== undefined && own.index === index && own.origin === origin && own.root !== root
  }

  /**
   * Returns the root at the last applied position, read from the tree progress. A stored checkpoint for this position can be missing, because
   * a rebuild of the tree stores no checkpoint.
   */
  async #currentRoot(): Promise<Checkpoint | undefined> {
    const { host, membership } = this.#parts
    const { store, kind } = host
    const [{ value: treeProgress }, { value: progress }] = [
      await kind.treeProgress.read(store),
      await kind.replicaProgress.read(store),
    ]
    if (!treeProgress || !progress || !isConsistent(progress) || treeProgress.index !== progress.applied) return undefined
    const isLevel = !treeProgress.building && treeProgress.partialOps === 0 && treeProgress.entry === (await newestEntry(store))
    if (!isLevel || treeProgress.entry < treeProgress.validFrom) return undefined
    const { relation } = await membership.member()
    return { index: treeProgress.index, root: treeProgress.root, origin: originAt(relation.history, treeProgress.index) }
  }

  /** Makes the next run compare all records with those of the primary. */
  async requireComparison(): Promise<void> {
    const { host } = this.#parts
    const fence = await this.#parts.fence()
    const { value, version } = await host.kind.replicaProgress.read(host.store)
    if (fence && value)
      await host.store.commit([
        host.kind.replicaProgress.put(host.store, { ...value, differs: true }, version),
        ...checksOf([fence]),
      ])
  }

  async #run(): Promise<boolean> {
    const { host, membership, applied } = this.#parts
    const member = await membership.current()
    const before = applied()
    this.#schedule.beginRun()
    if (!member) return this.#clear()
    // Stop at the entry that is the newest now. Otherwise the run would not end while writers continuously add entries.
    const newest = await newestEntry(host.store)
    for (;;) {
      host.env.closing.throwIfAborted()
      const fence = await this.#parts.fence()
      if (!fence) return false
      const value = await this.#readTreeProgress(fence)
      if (!value) return true
      if (value.building && !(await buildTree(host, member.keys.tree, fence))) return false
      const outcome = await this.#updaterFor(member.keys).foldOnce(fence)
      if (outcome === 'lost') return false
      if (outcome === 'gap') {
        await this.#rebuild(fence)
        continue
      }
      if (outcome === 'level' || value.entry >= newest) {
        await this.#truncateIfDue(value, fence)
        if (outcome === 'level' && !(await this.#hasMarkedEntries()))
          this.#schedule.endRun({ keys: member.keys, entry: newest, applied: before })
        return true
      }
      await host.clock.sleep(0)
    }
  }

  /** Truncates the log if it is too large, if entries were marked for removal, or if its entries may have become too old. */
  async #truncateIfDue({ bytes, first, removeUpTo = 0 }: TreeProgress, fence: Fence): Promise<void> {
    const { host, bounds } = this.#parts
    if (bytes <= bounds.maxBytes && removeUpTo <= first && !this.#schedule.isTruncationDue) return
    this.#schedule.beginTruncation()
    await truncateLog(host, bounds, fence)
  }

  /**
   * Whether the log still has entries that are marked for removal. They are removed when the trees of both kinds of replication contain
   * them.
   */
  async #hasMarkedEntries(): Promise<boolean> {
    const { value } = await this.#parts.host.kind.treeProgress.read(this.#parts.host.store)
    return value !== undefined && (value.removeUpTo ?? 0) > value.first
  }

  /** Reads the tree progress. If that record is damaged, starts to rebuild the tree. */
  async #readTreeProgress(fence: Fence): Promise<TreeProgress | undefined> {
    const { store, kind } = this.#parts.host
    try {
      return (await kind.treeProgress.read(store)).value
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    const [entry, [version]] = [await newestEntry(store), await store.versions([kind.treeProgress.key])]
    const unbuilt = { ...unbuiltTree(entry), index: await this.#indexOf(entry, entry), first: await entryBeforeOldest(store) }
    const { ok } = await store.commit([kind.treeProgress.put(store, unbuilt, version), ...checksOf([fence])])
    return ok ? unbuilt : undefined
  }

  /** Starts to rebuild the tree, because it is damaged or the log no longer contains the entries that the tree lacks. */
  async #rebuild(fence: Fence): Promise<boolean> {
    const { store, kind } = this.#parts.host
    this.#schedule.expedite()
    const { value, version } = await kind.treeProgress.read(store)
    if (!value || value.building) return false
    const entry = await newestEntry(store)
    const index = await this.#indexOf(entry, value.index)
    const next: TreeProgress = { ...value, entry, index, partialOps: 0, validFrom: Number.MAX_SAFE_INTEGER, building: true }
    return (await store.commit([kind.treeProgress.put(store, next, version), ...checksOf([fence])])).ok
  }

  /**
   * Returns the log index in the set that corresponds to the current store. A primary computes it from its newest log entry. A secondary reads
   * it from the replica progress, or uses `otherwise` if no replica progress is stored.
   */
  async #indexOf(entry: number, otherwise: number): Promise<number> {
    const { host, membership } = this.#parts
    const member = await membership.current()
    if (member && membership.mode === 'primary') return lastOf(member.relation.history).start + entry
    const { value } = await host.kind.replicaProgress.read(host.store)
    return value?.applied ?? otherwise
  }

  /**
   * Removes the entries that the log has when the call begins. Entries that cannot be removed yet are removed by later runs.
   *
   * @returns False if the log cannot be cleared now, so that no entry will be removed.
   */
  async forgetLog(): Promise<boolean> {
    const { host, membership } = this.#parts
    const { store, kind } = host
    const gone = await newestEntry(store)
    // The newest entry cannot be removed, because the number of the next entry is computed from it. So write the relation record without a
    // change: this adds an entry without secret content, and the entry before it can be removed.
    await membership.edit((relation) => ({ ...relation }))
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const fence = await this.#parts.fence()
      const { value, version } = await kind.treeProgress.read(store)
      if (!fence || !value) return false
      const { ok } = await store.commit([
        kind.treeProgress.put(store, { ...value, removeUpTo: gone }, version),
        ...checksOf([fence]),
      ])
      if (!ok) continue
      await this.run()
      return true
    }
    return false
  }

  /** Removes the trees and checkpoints that remain after the cluster has left a set. */
  async #clear(): Promise<boolean> {
    const { host, membership } = this.#parts
    if (membership.mode !== 'disabled') return true
    const role = host.store.commits.roleFence
    for (const prefix of [host.kind.tree, host.kind.checkpoints]) {
      if ((await host.store.list(prefix, { limit: 1 })).length === 0) continue
      const fence = await this.#parts.fence()
      if (!fence || !(await deleteBelow(host, prefix, { also: checksOf([fence, role]) }))) return false
    }
    this.#schedule.endRun({ ...this.#levelNow(), keys: undefined })
    return true
  }

  async #consistency(): Promise<{ readonly from: number; readonly applied: number } | undefined> {
    const { host, membership } = this.#parts
    if (membership.mode === 'primary') return { from: exactFrom(membership.known?.relation.history ?? []), applied: 0 }
    const { value } = await host.kind.replicaProgress.read(host.store)
    return value && isConsistent(value) ? { from: value.consistentFrom ?? 0, applied: value.applied } : undefined
  }

  #updaterFor(keys: SetMember['keys']): TreeUpdater {
    const { host, membership } = this.#parts
    const history = () => membership.known?.relation.history ?? []
    const sound = () => this.#consistency()
    const { roots } = this
    if (this.#updater?.of !== keys)
      this.#updater = { of: keys, updater: new TreeUpdater({ host, keys: keys.tree, roots, history, consistency: sound }) }
    return this.#updater.updater
  }
}
