/** Sends hellos to the primary, keeps the state that the primary last reported, and decides whether the next hello is due. */
import { reportedCountsPage, storeReportedCounts } from '../counts.ts'
import type { Membership } from '../membership.ts'
import { Schedule } from '../schedule.ts'
import { LAYOUT } from '../serve/hello.ts'
import { DR } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { helloMessage } from './hello-message.ts'
import type { LastHeard } from './last-heard.ts'
import { LEASED_MOUNT_KEYS, leasedMounts } from './leased-mounts.ts'
import type { PrimaryClient } from './primary-client.ts'
import { type PrimaryProgress, type PrimaryState, readPrimaryState } from './primary-state.ts'

/**
 * The interval at which a secondary that streams sends a hello. In between it only fetches records, and the answers to a fetch report the
 * primary's position.
 */
const HELLO_INTERVAL_MS = 5000

export interface HelloParts {
  readonly host: SetHost
  readonly membership: Membership
  /** Returns the addresses that this cluster reports to its primary. */
  readonly self: () => { readonly address: string; readonly api: string }
  /** The UUID of this cluster. */
  readonly clusterId: () => string
}

/** The last answer to a hello, updated by later answers to fetches, and the time of the last answer. */
export interface LastHello {
  readonly primaryState: PrimaryState
  readonly at: number
}

export class HelloExchange {
  readonly #parts: HelloParts
  readonly #lastHeard: LastHeard
  readonly #schedule: Schedule
  #last: LastHello | undefined
  /**
   * The names of the count records after which the pages of usage counts begin: `own` for the next hello, `theirs` for the answer to it.
   */
  #countsFrom = { own: '', theirs: '' }
  /** Whether the last hello or its answer reported usage counts. */
  #hasCounts = false
  /** The mounts with leases that the last hello reported. */
  #reportedLeases = ''
  /** Whether the mounts with leases may differ from {@link #reportedLeases}. Undefined while no listener notes their changes. */
  #leasesChanged: boolean | undefined
  #stopListening = (): void => {}
  /** The version of the membership at the end of the last run; undefined if the next run must begin with a hello. */
  #inSyncAs: number | undefined

  constructor(parts: HelloParts, lastHeard: LastHeard) {
    this.#parts = parts
    this.#lastHeard = lastHeard
    this.#schedule = new Schedule(parts.host.clock, HELLO_INTERVAL_MS)
  }

  get last(): LastHello | undefined {
    return this.#last
  }

  /** Sends a hello with the position of this cluster. */
  async send(follower: PrimaryClient, signal: AbortSignal): Promise<PrimaryState> {
    const { host, membership, self } = this.#parts
    const { relation } = await membership.member()
    this.#schedule.begin()
    const leases = await this.#leasedMounts()
    this.#reportedLeases = leases.join()
    const { value } = await host.kind.replicaProgress.read(host.store)
    const page = await reportedCountsPage(this.#parts, this.#countsFrom.own)
    const held = {
      applied: value?.applied ?? 0,
      leases,
      counts: page.counts,
      counts_after: this.#countsFrom.theirs,
      cluster: this.#parts.clusterId(),
    }
    const answer = await follower.ask(helloMessage(relation, self(), held), signal)
    const primaryState = readPrimaryState(answer, host.clock.now())
    const isOurs = primaryState.set === relation.set && primaryState.layout === LAYOUT
    if (isOurs) await storeReportedCounts(this.#parts, primaryState.counts.counts)
    this.#countsFrom = { own: page.next, theirs: primaryState.counts.next }
    this.#hasCounts = page.counts.length > 0 || primaryState.counts.counts.length > 0
    const at = host.clock.now()
    this.#last = { primaryState, at }
    if (isOurs) await this.#lastHeard.note(primaryState, held.applied, at)
    return primaryState
  }

  /** Returns the last known state of the primary if the last run ended in sync and no hello is due, so that a fetch suffices. */
  async recentState(): Promise<PrimaryState | undefined> {
    if (this.#inSyncAs === undefined || this.#hasCounts || this.#schedule.isDue) return undefined
    if (!(await this.#hasReportedLeases())) return undefined
    return (await this.#parts.membership.member()).version === this.#inSyncAs ? this.#last?.primaryState : undefined
  }

  /** Notes the position of the primary that an answer to a fetch reports. */
  async noteProgress({ membership: _, ...progress }: PrimaryProgress, applied: number): Promise<void> {
    if (!this.#last) return
    const before = this.#last.primaryState
    const isUnchanged =
      before.head === progress.head &&
      before.acknowledged === progress.acknowledged &&
      before.acknowledge === progress.acknowledge
    const [primaryState, at] = [isUnchanged ? before : { ...before, ...progress }, this.#parts.host.clock.now()]
    this.#last = { primaryState, at }
    await this.#lastHeard.note(primaryState, applied, at)
  }

  /** Notes that a run ended in sync, so that the next run can begin with a fetch. */
  async noteInSync(): Promise<void> {
    this.#inSyncAs = (await this.#parts.membership.member()).version
  }

  /** Makes the next run begin with a hello. */
  requireNext(): void {
    this.#inSyncAs = undefined
  }

  /** Forgets the state of the primary. */
  end(): void {
    this.#last = undefined
    this.#inSyncAs = undefined
    this.#stopListening()
    this.#leasesChanged = undefined
  }

  /** Whether the last hello reported the mounts that have leases now. Lists these mounts only if a lease was created or has ended. */
  async #hasReportedLeases(): Promise<boolean> {
    const { host } = this.#parts
    if (host.kind === DR) return true
    if (this.#leasesChanged === undefined)
      this.#stopListening = host.cache.onChange(({ keys }) => {
        if (!keys) this.#leasesChanged = true
        else for (const key of keys) if (key.startsWith(LEASED_MOUNT_KEYS)) this.#leasesChanged = true
      })
    else if (!this.#leasesChanged) return true
    this.#leasesChanged = false
    const isReported = (await this.#leasedMounts()).join() === this.#reportedLeases
    if (!isReported) this.#leasesChanged = true
    return isReported
  }

  async #leasedMounts(): Promise<readonly string[]> {
    const { host } = this.#parts
    return host.kind === DR ? [] : await leasedMounts(host)
  }
}
