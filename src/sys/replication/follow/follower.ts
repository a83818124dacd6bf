/**
 * A secondary's way to its primary: greeted, compared, streamed.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { Slices } from '../../../core/base/slices.ts'
import type { MountRecord } from '../../../core/contract/mount-record.ts'
import type { ReplicationTransport } from '../../../core/contract/replication-transport.ts'
import type { Fence } from '../../../core/transaction/place.ts'
import { reportedCountsPage, storeReportedCounts } from '../counts.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS } from '../filters/secondary-scopes.ts'
import { type LinkMessage, PrimaryRefusedError } from '../link.ts'
import { quarantineRecords } from '../lost/quarantine.ts'
import type { Member, Membership } from '../membership.ts'
import type { SentRecord } from '../serve/fetch.ts'
import { LAYOUT } from '../serve/hello.ts'
import { lastOf } from '../state/history.ts'
import { DR, type ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { applyRecords, groupByCommit, StaleClaimError, type StoredProgress } from './apply-records.ts'
import { fetchRecords } from './fetch-records.ts'
import type { FollowRules } from './follow-rules.ts'
import { helloMessage } from './hello-message.ts'
import { LastHeard } from './last-heard.ts'
import { leasedMounts } from './leased-mounts.ts'
import type { FollowState, PrimaryClient, SyncProgress } from './primary-client.ts'
import { type PrimaryState, readPrimaryState } from './primary-state.ts'
import { isConsistent } from './read-records.ts'
import { synchronize } from './synchronize.ts'
import { UpstreamLink } from './upstream-link.ts'

const COMMIT_MICROSECONDS = 100

/** Encrypting and storing a short record. */
const APPLY_MICROSECONDS = 40

/**
 * What is told of the epoch that the greeting was answered in: a primary and whoever took it over for disaster recovery know a secondary by
 * the same keys, and one may answer in the other's place.
 */
const EPOCH_BOUND_MESSAGES: ReadonlySet<unknown> = new Set(['fetch', 'pin', 'tree', 'values'])

/** The claim on following is held by another kernel, which does it. */
export class ClaimHeldError extends Error {}

export interface FollowerParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly transport: ReplicationTransport
  readonly rules: FollowRules
  /** What this cluster says of itself. */
  readonly self: () => { readonly address: string; readonly api: string }
  readonly fence: () => Promise<Fence | undefined>
  /** Brings the own tree up to the own log. */
  readonly foldLog: () => Promise<boolean>
  /** Removes what the own log has; false where it cannot. */
  readonly forgetLog: () => Promise<boolean>
  /** Ends what this cluster leased below a mount that goes. */
  readonly revokeLeases: (mount: MountRecord, fence: Fence) => Promise<void>
  /** The mounts of the root namespace here. */
  readonly rootMounts: () => Promise<readonly MountRecord[]>
  /** UUID of the own cluster. */
  readonly clusterId: () => string
  readonly changed: (state: FollowState) => void
  readonly progressed: (progress: SyncProgress) => void
  readonly diverged: (lost: number) => void
}

export class Follower implements PrimaryClient {
  readonly #parts: FollowerParts
  readonly #upstream: UpstreamLink
  #state: FollowState = 'idle'
  /** Why nothing is followed. */
  lastError: string | undefined
  /** What the primary said last, and when this was here. */
  lastPrimaryState: { readonly standing: PrimaryState; readonly at: number } | undefined
  readonly lastHeard: LastHeard
  #progress: SyncProgress | undefined
  /** Where the next greeting goes on with counts of uses. */
  #countsFrom = { own: '', theirs: '' }
  /** What the primary was told last of what is stored here. */
  #acknowledged = ''
  /** The last index that was applied, as far as this process knows. */
  applied: number | undefined

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#upstream = new UpstreamLink(parts)
    this.lastHeard = new LastHeard(parts.host)
  }

  get kind(): ReplicationKind {
    return this.#parts.host.kind
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

  /** Asks the primary, as this secondary. @throws Unreachable, Refused */
  async ask(message: LinkMessage, signal: AbortSignal, once = false): Promise<LinkMessage> {
    const epoch = EPOCH_BOUND_MESSAGES.has(message['kind']) ? this.lastPrimaryState?.standing.history.at(-1) : undefined
    return this.#upstream.ask(epoch ? { ...message, origin: epoch.origin } : message, signal, once)
  }

  /** Greets, and says where this cluster stands. */
  async hello(signal: AbortSignal): Promise<PrimaryState> {
    const { host, membership, self } = this.#parts
    const { relation } = await membership.member()
    const { value } = await host.kind.replicaProgress.read(host.store)
    const told = await reportedCountsPage(this.#parts, this.#countsFrom.own)
    const held = {
      applied: value?.applied ?? 0,
      leases: host.kind === DR ? [] : await leasedMounts(host),
      counts: told.counts,
      counts_after: this.#countsFrom.theirs,
      cluster: this.#parts.clusterId(),
    }
    const answer = await this.ask(helloMessage(relation, self(), held), signal)
    const standing = readPrimaryState(answer, host.clock.now())
    const isOurs = standing.set === relation.set && standing.layout === LAYOUT
    if (isOurs) await storeReportedCounts(this.#parts, standing.counts.counts)
    this.#countsFrom = { own: told.next, theirs: standing.counts.next }
    this.lastPrimaryState = { standing, at: host.clock.now() }
    if (isOurs) await this.lastHeard.note(standing, held.applied, this.lastPrimaryState.at)
    await this.#upstream.noteAddresses(standing)
    return standing
  }

  /**
   * Goes on until all that the primary had at the beginning is here.
   * @param wait Milliseconds that the primary may wait for something new.
   * @throws Busy, Overtaken, Unreachable, Refused; what is shown as the last error.
   */
  async follow(signal: AbortSignal, wait = 0): Promise<void> {
    try {
      await this.#follow(signal, wait)
      this.lastError = undefined
    } catch (error) {
      // Whoever was told may be gone.
      this.#acknowledged = ''
      if (error instanceof ClaimHeldError || error instanceof StaleClaimError) throw error
      this.state = 'idle'
      this.lastError = messageOf(error)
      throw error
    }
  }

  end(): void {
    this.#upstream.end()
    this.#state = 'idle'
    this.lastPrimaryState = undefined
    this.applied = undefined
  }

  async #follow(signal: AbortSignal, wait: number): Promise<void> {
    const { host, membership, rules } = this.#parts
    for (;;) {
      // A comparison leads to where the primary is by then, which may be behind what it said before.
      const standing = await this.hello(signal)
      const fence = await this.#parts.fence()
      if (!fence) throw new ClaimHeldError()
      const stand = await this.#readProgress()
      if (stand.progress.steppingDown) throw new ClaimHeldError()
      const member = await membership.member()
      const course = rules.courseFor(member.relation, stand.progress, standing)
      if (course.way === 'idle') throw new PrimaryRefusedError('idle', course.why)
      if (course.way === 'rewind') {
        await this.#rewind(member, stand, course.fork, fence)
        continue
      }
      // With the primary's history nothing tells any more that this cluster lacked a part of it.
      if (course.way === 'compare' && !stand.progress.differs) await this.#mustCompare(stand, fence)
      await this.#adopt(member, standing)
      if (course.way === 'compare') {
        await synchronize({ ...this.#parts, follower: this, fence, signal, primaryState: standing })
        continue
      }
      this.state = isConsistent(stand.progress) ? 'stream-wals' : 'merkle-sync'
      if (await this.#stream(stand, standing, fence, signal, wait)) return
      host.env.closing.throwIfAborted()
    }
  }

  async #readProgress(): Promise<StoredProgress> {
    const { value, version } = await this.#parts.host.kind.replicaProgress.read(this.#parts.host.store)
    if (!value) throw new KernelError('ERR_INTERNAL', 'the record of what was followed is missing')
    this.applied = value.applied
    return { progress: value, version }
  }

  /** False where the log of the primary does not go back that far: what is held has to be compared. */
  async #stream(from: StoredProgress, standing: PrimaryState, fence: Fence, signal: AbortSignal, wait: number): Promise<boolean> {
    const { host } = this.#parts
    const slices = new Slices(host.clock)
    let stand = from
    for (let waits = wait; ; waits = 0) {
      await this.#acknowledge(stand, standing, signal)
      if (stand.progress.applied >= standing.head && waits === 0) return true
      const { applied: after, view = '', scopeChangedAt: before = 0 } = stand.progress
      const fetched = await fetchRecords(this, { after, view, turned: before, wait: waits }, signal)
      if (fetched === 'gap') {
        await this.#mustCompare(stand, fence)
        return false
      }
      const { records, to } = fetched
      const turned = (await this.#holdsAny(fetched.removed)) ? Math.max(to, fetched.scopeChangedAt ?? 0) : fetched.scopeChangedAt
      // Noted first: what is held is no state of the primary from here on, and no root of it is to be compared.
      if (turned !== undefined) stand = await this.#noteScopeChange(stand, turned, fence)
      for (const group of groupByCommit(records)) {
        const last = group.at(-1) as SentRecord
        stand = await applyRecords(host, standing.history, group, last.index, stand, fence)
        this.applied = stand.progress.applied
        if (slices.spend(COMMIT_MICROSECONDS + group.length * APPLY_MICROSECONDS)) await slices.giveWay()
      }
      // Writers get their turn, and what they write until then comes with one message.
      if (records.length > 0) await slices.giveWay()
      if (to > stand.progress.applied) stand = await applyRecords(host, standing.history, [], to, stand, fence)
      this.applied = stand.progress.applied
      if (turned !== undefined) return false
      if (isConsistent(stand.progress)) this.state = 'stream-wals'
      if (waits > 0) {
        await this.#acknowledge(stand, standing, signal)
        return true
      }
      if (to <= from.progress.applied && records.length === 0) return true
    }
  }

  /** Tells a primary that waits for it what is stored here. */
  async #acknowledge({ progress }: StoredProgress, { acknowledge, history }: PrimaryState, signal: AbortSignal): Promise<void> {
    if (!acknowledge || progress.differs) return
    const { applied: index, view = '' } = progress
    const { origin } = lastOf(history)
    const told = `${origin} ${index} ${view}`
    if (told === this.#acknowledged) return
    await this.ask({ kind: 'held', origin, index, view }, signal)
    this.#acknowledged = told
  }

  /** Whether a record of these mounts and namespaces is here. */
  async #holdsAny(gone: readonly string[]): Promise<boolean> {
    if (gone.length === 0) return false
    const keys = gone.flatMap((uuid) => [MOUNT_KEYS + uuid, NAMESPACE_KEYS + uuid])
    return (await this.#parts.host.store.versions(keys)).some((version) => version > 0)
  }

  async #noteScopeChange({ progress, version }: StoredProgress, turned: number, fence: Fence): Promise<StoredProgress> {
    const { host, rules } = this.#parts
    const next = { ...progress, differs: true, turned }
    await rules.storeProgress(host, next, { version }, fence)
    return this.#readProgress()
  }

  #mustCompare(stand: StoredProgress, fence: Fence): Promise<void> {
    const { host, rules } = this.#parts
    return rules.storeProgress(host, { ...stand.progress, differs: true }, stand, fence)
  }

  /** Records that only a lost primary had, as this cluster was one or followed one, are kept apart, counted and given up. */
  async #rewind({ relation }: Member, stand: StoredProgress, fork: number, fence: Fence): Promise<void> {
    const { host, rules } = this.#parts
    const { scopeChangedAt: _, ...following } = stand.progress
    const gone = await quarantineRecords(host, { history: relation.history, fork, applied: following.applied }, fence)
    await rules.storeProgress(host, { ...following, applied: fork, differs: true, lost: following.lost + gone }, stand, fence)
    // What it kept for itself alone is no difference.
    if (gone > 0) this.#parts.diverged(gone)
  }

  /** From here on the history is the primary's. */
  async #adopt({ relation }: Member, { history, gaps }: PrimaryState): Promise<void> {
    const isSame = JSON.stringify(relation.history) === JSON.stringify(history) && (relation.gaps ?? 0) === gaps
    if (isSame) return
    const told = gaps > 0 ? { gaps } : {}
    const { epoch } = lastOf(history)
    await this.#parts.membership.edit((now) => ({ ...now, history, max_epoch: Math.max(now.max_epoch, epoch), ...told }))
  }
}

const messageOf = (error: unknown): string => (error instanceof Error && error.message !== '' ? error.message : 'it failed')
