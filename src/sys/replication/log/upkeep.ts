/**
 * What is done behind the writers: the tree follows the log, and the log is kept within its bounds.
 */

import { logEntryKey } from '../../../core/log/frame.ts'
import type { Host } from '../../../core/transaction/host.ts'
import type { Fence } from '../../../core/transaction/place.ts'
import { checksOf } from '../../../core/transaction/writes.ts'
import { isClear } from '../follow/received.ts'
import type { Member, Membership } from '../membership.ts'
import { clearBelow } from '../state/clear-below.ts'
import { lastOf } from '../state/history.ts'
import { CHECKPOINTS, FOLDED, FOLLOWING, type Folded, TREE } from '../state/records.ts'
import { buildTree } from './build-tree.ts'
import { type Checkpoint, checkpoint, Folder } from './folder.ts'
import { isDamage, newestEntry, readLog } from './log-pages.ts'
import { Scrub } from './scrub.ts'
import { TreeWalk } from './tree-walk.ts'

export interface LogBounds {
  readonly max_bytes: number
  /** Milliseconds. */
  readonly max_age: number
}

export interface UpkeepParts {
  readonly host: Host
  readonly membership: Membership
  readonly bounds: LogBounds
  readonly fence: () => Promise<Fence | undefined>
}

/** Entries removed by one commit. */
const PER_COMMIT = 100

/** Roots at earlier positions are kept as long as anybody may compare them. */
const CHECKPOINTS_KEPT = 64

export class Upkeep {
  readonly #parts: UpkeepParts
  #folder: { readonly of: Member['keys']; readonly folder: Folder; readonly scrub: Scrub; readonly walk: TreeWalk } | undefined
  #running: Promise<boolean> | undefined
  #next: Promise<boolean> | undefined

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /**
   * Brings the tree up to what the log has at the call; false where another kernel has the claim. One run at a time: a call during a run
   * waits for the next one, since that run looked at the log before.
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

  /** Whether the tree had another root at a position. False where nothing is known of that position. */
  async differsAt({ index, root, origin }: Checkpoint): Promise<boolean> {
    const { value } = await checkpoint(index).read(this.#parts.host.store)
    return value !== undefined && value.origin === origin && value.root !== root
  }

  /** What is held here is to be compared with the primary's. */
  async mustCompare(): Promise<void> {
    const { host } = this.#parts
    const fence = await this.#parts.fence()
    const { value, version } = await FOLLOWING.read(host.store)
    if (fence && value)
      await host.store.commit([FOLLOWING.put(host.store, { ...value, differs: true }, version), ...checksOf([fence])])
  }

  async #run(): Promise<boolean> {
    const { host, membership } = this.#parts
    const member = await membership.current()
    if (!member) return this.#clear()
    // Writers who never pause would keep a run that follows them from its end.
    const newest = await newestEntry(host.store)
    for (;;) {
      host.env.closing.throwIfAborted()
      const fence = await this.#parts.fence()
      if (!fence) return false
      const { value } = await FOLDED.read(host.store)
      if (!value) return true
      if (value.building && !(await buildTree(host, member.keys.tree, fence))) return false
      const outcome = await this.#toolsFor(member).folder.once(fence)
      if (outcome === 'lost') return false
      if (outcome === 'gap') {
        await this.#rebuild(fence)
        continue
      }
      if (outcome === 'level' || value.entry >= newest) {
        await this.#truncate(fence)
        return true
      }
      await host.clock.sleep(0)
    }
  }

  /** The log no longer has what the tree lacks, or the tree is damaged: it is made anew of what is stored. */
  async #rebuild(fence: Fence): Promise<boolean> {
    const { store } = this.#parts.host
    const { value, version } = await FOLDED.read(store)
    if (!value || value.building) return false
    const entry = await newestEntry(store)
    const index = await this.#indexOf(entry, value.index)
    const next: Folded = { ...value, entry, index, within: 0, soundFrom: Number.MAX_SAFE_INTEGER, building: true }
    return (await store.commit([FOLDED.put(store, next, version), ...checksOf([fence])])).ok
  }

  /** The position of what is stored, of which the newest entry of the log tells a primary, and a secondary what it has applied. */
  async #indexOf(entry: number, otherwise: number): Promise<number> {
    const { host, membership } = this.#parts
    const member = await membership.current()
    if (member && membership.mode === 'primary') return lastOf(member.relation.history).start + entry
    const { value } = await FOLLOWING.read(host.store)
    return value?.applied ?? otherwise
  }

  async #truncate(fence: Fence): Promise<void> {
    const { host, bounds } = this.#parts
    const { store, clock } = host
    for (;;) {
      const { value: folded, version } = await FOLDED.read(store)
      const frames = folded && (await readLog(store, folded.first))
      if (!folded || !frames) return
      const newest = await newestEntry(store)
      const oldest = clock.now() - bounds.max_age
      let { first, bytes } = folded
      for (const frame of frames) {
        const isKept = bytes <= bounds.max_bytes && frame.at >= oldest
        if (isKept || frame.entry >= Math.min(newest, folded.entry) || frame.entry - folded.first > PER_COMMIT) break
        first = frame.entry
        bytes -= frame.bytes
      }
      if (first === folded.first) return this.#dropCheckpoints(fence)
      const gone = Array.from({ length: first - folded.first }, (_, at) => logEntryKey(folded.first + 1 + at))
      const { ok } = await store.commit([
        ...gone.map((key) => ({ op: 'del', key }) as const),
        FOLDED.put(store, { ...folded, first, bytes }, version),
        ...checksOf([fence]),
      ])
      if (!ok) return
      await clock.sleep(0)
    }
  }

  async #dropCheckpoints(fence: Fence): Promise<void> {
    const { store } = this.#parts.host
    const names = await store.list(CHECKPOINTS, { limit: CHECKPOINTS_KEPT + PER_COMMIT })
    const gone = names.slice(0, Math.max(0, names.length - CHECKPOINTS_KEPT)).slice(0, PER_COMMIT)
    if (gone.length === 0) return
    await store.commit([...gone.map((name) => ({ op: 'del', key: CHECKPOINTS + name }) as const), ...checksOf([fence])])
  }

  /** What a cluster kept while it was in a set. */
  async #clear(): Promise<boolean> {
    const { host, membership } = this.#parts
    if (membership.mode !== 'disabled') return true
    for (const prefix of [TREE, CHECKPOINTS]) {
      if ((await host.store.list(prefix, { limit: 1 })).length === 0) continue
      const fence = await this.#parts.fence()
      if (!fence || !(await clearBelow(host, prefix, { also: checksOf([fence]) }))) return false
    }
    return true
  }

  async #sound(): Promise<{ readonly from: number; readonly applied: number } | undefined> {
    const { host, membership } = this.#parts
    if (membership.mode === 'primary') return { from: 0, applied: 0 }
    const { value } = await FOLLOWING.read(host.store)
    return value && isClear(value) ? { from: value.fuzzy_until ?? 0, applied: value.applied } : undefined
  }

  /**
   * Holds a few records of the tree against each other, and a few of the store against the tree. @returns How many of the store differed;
   * the tree then has them as they are stored. One that is wrong in itself counts as a difference, and is made anew by the next run.
   */
  async scrub(): Promise<number> {
    const { host, membership } = this.#parts
    const member = await membership.current()
    const fence = member && (await this.#parts.fence())
    if (!fence) return 0
    const { scrub, walk } = this.#toolsFor(member)
    const { value } = await FOLDED.read(host.store)
    if (!value || value.building) return 0
    const isWhole = await walk.once()
    const differing = isWhole && (await this.#sound()) ? await scrub.once(fence).catch(nothingOfDamaged) : 0
    if (isWhole && differing !== undefined) return differing
    return (await this.#rebuild(fence)) ? 1 : 0
  }

  #toolsFor({ keys }: Member): { readonly folder: Folder; readonly scrub: Scrub; readonly walk: TreeWalk } {
    const { host, membership } = this.#parts
    const history = () => membership.known?.relation.history ?? []
    const sound = () => this.#sound()
    if (this.#folder?.of !== keys) {
      const folder = new Folder({ host, keys: keys.tree, history, sound })
      const scrub = new Scrub({ host, keys: keys.tree, history, roots: folder.roots })
      this.#folder = { of: keys, folder, scrub, walk: new TreeWalk(host) }
    }
    return this.#folder
  }
}

function nothingOfDamaged(error: unknown): undefined {
  if (!isDamage(error)) throw error
}
