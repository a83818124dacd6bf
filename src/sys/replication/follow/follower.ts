/** Copies the primary's data to a secondary: sends a hello, runs a Merkle sync if it is necessary, and then streams the log. */
import { Slices } from '../../../core/base/slices.ts'
import type { MountRecord } from '../../../core/contract/mount-record.ts'
import type { ReplicationTransport } from '../../../core/contract/replication-transport.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS } from '../filters/secondary-scopes.ts'
import { type LinkMessage, PrimaryRefusedError } from '../link.ts'
import type { SentRecord } from '../serve/fetch.ts'
import { type History, lastOf } from '../state/history.ts'
import type { ReplicaProgress } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import { adoptHistory, rewindToFork } from './adopt-history.ts'
import { applyRecords, groupByCommit, StaleClaimError, type StoredProgress } from './apply-records.ts'
import { fetchRecords } from './fetch-records.ts'
import type { FollowRules } from './follow-rules.ts'
import { HelloExchange, type HelloParts, type LastHello } from './hello-exchange.ts'
import { LastHeard } from './last-heard.ts'
import { PositionAcknowledger } from './position-acknowledger.ts'
import type { FollowState, PrimaryClient, SyncProgress } from './primary-client.ts'
import type { PrimaryState } from './primary-state.ts'
import { ProgressCache } from './progress-cache.ts'
import { isConsistent } from './read-records.ts'
import { synchronize } from './synchronize.ts'
import { UpstreamLink } from './upstream-link.ts'

const COMMIT_MICROSECONDS = 100

/** The estimated cost of encrypting and storing a short record. */
const APPLY_MICROSECONDS = 40

/**
 * Messages that must carry the epoch of the last hello. A primary and a DR cluster that took over from that primary have the same keys, so
 * either could answer.
 */
const EPOCH_BOUND_MESSAGES: ReadonlySet<unknown> = new Set(['fetch', 'pin', 'tree', 'values'])

/** Another kernel of this cluster follows the primary, so this kernel must not. */
export class ClaimHeldError extends Error {}

export interface FollowerParts extends HelloParts {
  readonly transport: ReplicationTransport
  readonly rules: FollowRules
  readonly fence: () => Promise<Fence | undefined>
  /** Applies the entries of this cluster's log to its Merkle tree. Returns false if that is not possible now. */
  readonly foldLog: () => Promise<boolean>
  /** Removes the entries that this cluster's log has at this time. Returns false if the log cannot be cleared now. */
  readonly forgetLog: () => Promise<boolean>
  /** Revokes the leases that this cluster issued below a mount that is about to be removed. */
  readonly revokeLeases: (mount: MountRecord, fence: Fence) => Promise<void>
  /** Returns the mounts in the root namespace of this cluster. */
  readonly rootMounts: () => Promise<readonly MountRecord[]>
  readonly changed: (state: FollowState) => void
  readonly progressed: (progress: SyncProgress) => void
  readonly diverged: (lost: number) => void
}

interface FollowStreamOptions {
  readonly fence: Fence
  readonly signal: AbortSignal
  /** How long, in milliseconds, the primary may wait for new records before it answers the first fetch. */
  readonly wait: number
  readonly until: number | undefined
}

export class Follower implements PrimaryClient {
  readonly #parts: FollowerParts
  readonly #upstream: UpstreamLink
  #state: FollowState = 'idle'
  /** The reason why this cluster does not follow its primary. */
  lastError: string | undefined
  readonly lastHeard: LastHeard
  readonly #hellos: HelloExchange
  readonly #acknowledger = new PositionAcknowledger(this)
  readonly #progressCache: ProgressCache
  #progress: SyncProgress | undefined
  /** The index of the last applied record, as far as this process knows. */
  applied: number | undefined

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#upstream = new UpstreamLink(parts)
    this.lastHeard = new LastHeard(parts.host)
    this.#hellos = new HelloExchange(parts, this.lastHeard)
    this.#progressCache = new ProgressCache(parts.host)
  }

  get kind(): ReplicationKind {
    return this.#parts.host.kind
  }

  get lastHello(): LastHello | undefined {
    return this.#hellos.last
  }

  now(): number {
    return this.#parts.host.clock.now()
  }

  get progress(): SyncProgress | undefined {
    return this.#progress
  }

  set progress(progress: SyncProgress | undefined) {
    this.#progress = progress
    if (progress) this.#parts.progressed(progress)
  }

  get state(): FollowState {
    return this.#state
  }

  set state(state: FollowState) {
    if (this.#state === state) return
    this.#state = state
    if (state !== 'merkle-diff' && state !== 'merkle-sync') this.progress = undefined
    this.#parts.changed(state)
  }

  /** Sends a request to the primary. @throws PrimaryUnreachableError, PrimaryRefusedError */
  async ask(message: LinkMessage, signal: AbortSignal, once = false): Promise<LinkMessage> {
    // Without an answered hello, the origin is empty, and the primary refuses the message.
    const origin = this.lastHello ? lastOf(this.lastHello.primaryState.history).origin : ''
    return this.#upstream.ask(EPOCH_BOUND_MESSAGES.has(message['kind']) ? { ...message, origin } : message, signal, once)
  }

  /** Sends a hello with the position of this cluster. */
  async hello(signal: AbortSignal): Promise<PrimaryState> {
    const primaryState = await this.#hellos.send(this, signal)
    await this.#upstream.noteAddresses(primaryState)
    return primaryState
  }

  /**
   * Fetches and applies records until this cluster has all records that the primary had when the call began.
   *
   * @param wait How long, in milliseconds, the primary may wait for new records.
   * @throws ClaimHeldError, StaleClaimError, PrimaryUnreachableError, PrimaryRefusedError; other errors are also stored in `lastError`.
   */
  async follow(signal: AbortSignal, wait = 0): Promise<void> {
    try {
      await this.#follow(signal, wait)
      this.lastError = undefined
    } catch (error) {
      this.#acknowledger.sendAgain()
      this.#hellos.requireNext()
      this.#progressCache.forget()
      if (error instanceof ClaimHeldError || error instanceof StaleClaimError) throw error
      this.state = 'idle'
      this.lastError = messageOf(error)
      throw error
    }
  }

  end(): void {
    this.#upstream.end()
    this.#state = 'idle'
    this.#hellos.end()
    this.#progressCache.forget()
    this.applied = undefined
  }

  async #follow(signal: AbortSignal, wait: number): Promise<void> {
    const { host, membership, rules } = this.#parts
    const recent = await this.#hellos.recentState()
    if (recent && (await this.#streamFrom(recent, signal, wait))) return
    this.#hellos.requireNext()
    for (;;) {
      // Send a hello in each round: after a Merkle sync, the current state of the primary decides how to continue.
      const primaryState = await this.hello(signal)
      const fence = await this.#parts.fence()
      if (!fence) throw new ClaimHeldError()
      const stored = await this.#readStoredProgress()
      if (stored.progress.steppingDown) throw new ClaimHeldError()
      const member = await membership.member()
      const course = rules.courseFor(member.relation, stored.progress, primaryState)
      if (course.way === 'idle') throw new PrimaryRefusedError('idle', course.why)
      if (course.way === 'rewind') {
        const gone = await rewindToFork(this.#parts, member, stored, course.fork, fence)
        // If the entries after the fork changed no replicated records, `gone` is 0, and the data did not diverge.
        if (gone > 0) this.#parts.diverged(gone)
        continue
      }
      // Set `differs` before adopting the primary's history; afterwards nothing records that this cluster lacks a part of it.
      if (course.way === 'compare' && !stored.progress.differs) await this.#mustCompare(stored, fence)
      await adoptHistory(this.#parts, member, primaryState)
      if (course.way === 'compare') {
        await synchronize({ ...this.#parts, follower: this, fence, signal, primaryState })
        continue
      }
      this.state = isConsistent(stored.progress) ? 'stream-wals' : 'merkle-sync'
      if (await this.#stream(stored, primaryState, { fence, signal, wait, until: primaryState.head })) {
        await this.#hellos.noteInSync()
        return
      }
      host.env.closing.throwIfAborted()
    }
  }

  /** Continues to stream without a hello. Returns false if a hello is necessary. */
  async #streamFrom(recent: PrimaryState, signal: AbortSignal, wait: number): Promise<boolean> {
    const { rules, membership } = this.#parts
    const fence = await this.#parts.fence()
    if (!fence) throw new ClaimHeldError()
    const stored = await this.#readProgress()
    const { steppingDown, applied } = stored.progress
    // Another kernel of this cluster may have applied newer records.
    if (steppingDown || applied > recent.head) return false
    const { relation } = await membership.member()
    if (rules.courseFor(relation, stored.progress, recent).way !== 'stream') return false
    try {
      return await this.#stream(stored, recent, { fence, signal, wait, until: undefined })
    } catch (error) {
      if (error instanceof PrimaryRefusedError) return false
      throw error
    }
  }

  async #readProgress(): Promise<StoredProgress> {
    const stored = await this.#progressCache.read()
    this.applied = stored.progress.applied
    return stored
  }

  #readStoredProgress(): Promise<StoredProgress> {
    this.#progressCache.forget()
    return this.#readProgress()
  }

  /**
   * Fetches and applies log records. Returns false if all records must be compared with the primary, because its log no longer contains the
   * position, or because the path filter changed what this secondary may have. Also returns false if only a hello shows how to continue.
   *
   * @param until The index up to which to apply records; undefined for the newest index at the time of the first fetch.
   */
  async #stream(
    from: StoredProgress,
    { history, ...first }: PrimaryState,
    { fence, signal, wait, until }: FollowStreamOptions,
  ): Promise<boolean> {
    const { host } = this.#parts
    const slices = new Slices(host.clock)
    let stored = from
    let acknowledge = first.acknowledge
    let head = until
    for (let waits = wait; ; waits = 0) {
      if (acknowledge) await this.#acknowledger.send(stored.progress, history, signal)
      if (head !== undefined && stored.progress.applied >= head && waits === 0) return true
      const { applied: after, view = '', scopeChangedAt: before = 0 } = stored.progress
      const fetched = await fetchRecords(this, { after, view, turned: before, wait: waits }, signal)
      if (fetched === 'gap') {
        await this.#mustCompare(stored, fence)
        return false
      }
      const { records, to, progress } = fetched
      if (head === undefined && (progress.head < after || progress.membership !== first.membership)) return false
      head ??= progress.head
      acknowledge = progress.acknowledge
      const turned = (await this.#holdsAny(fetched.removed)) ? Math.max(to, fetched.scopeChangedAt ?? 0) : fetched.scopeChangedAt
      // First store that the path filter changed what this secondary may have: from here on, the data is not a consistent state of the
      // primary, and its root must not be compared.
      if (turned !== undefined) stored = await this.#noteScopeChange(stored, turned, fence)
      for (const group of groupByCommit(records)) {
        const last = group.at(-1) as SentRecord
        stored = await this.#apply(history, group, last.index, stored, fence)
        this.applied = stored.progress.applied
        if (slices.spend(COMMIT_MICROSECONDS + group.length * APPLY_MICROSECONDS)) await slices.giveWay()
      }
      if (to > stored.progress.applied) stored = await this.#apply(history, [], to, stored, fence)
      this.applied = stored.progress.applied
      // Let other work of this process run first. If it writes to the primary, the primary then sends all these writes in one message.
      if (records.length > 0 && (waits > 0 || stored.progress.applied < head)) await slices.giveWay()
      await this.#hellos.noteProgress(progress, stored.progress.applied)
      if (turned !== undefined) return false
      if (isConsistent(stored.progress)) this.state = 'stream-wals'
      if (waits > 0) {
        if (acknowledge) await this.#acknowledger.send(stored.progress, history, signal)
        return true
      }
      if (to <= from.progress.applied && records.length === 0) return true
    }
  }

  #apply(
    history: History,
    records: readonly SentRecord[],
    to: number,
    stored: StoredProgress,
    fence: Fence,
  ): Promise<StoredProgress> {
    return this.#progressCache.update(() => applyRecords(this.#parts.host, history, records, to, stored, fence))
  }

  /** Whether this cluster has a record of one of these mounts or namespaces. */
  async #holdsAny(gone: readonly string[]): Promise<boolean> {
    if (gone.length === 0) return false
    const keys = gone.flatMap((uuid) => [MOUNT_KEYS + uuid, NAMESPACE_KEYS + uuid])
    return (await this.#parts.host.store.versions(keys)).some((version) => version > 0)
  }

  async #noteScopeChange({ progress, version }: StoredProgress, turned: number, fence: Fence): Promise<StoredProgress> {
    const { host, rules } = this.#parts
    const next: ReplicaProgress = { ...progress, differs: true, scopeChangedAt: turned }
    await rules.storeProgress(host, next, { version }, fence)
    return this.#readStoredProgress()
  }

  #mustCompare(stored: StoredProgress, fence: Fence): Promise<void> {
    const { host, rules } = this.#parts
    return rules.storeProgress(host, { ...stored.progress, differs: true }, stored, fence)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error && error.message !== '' ? error.message : 'it failed')
