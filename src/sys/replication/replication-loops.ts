/** Runs the background work of one kind of replication, either at each tick or in continuous loops. */

import { StaleClaimError } from './follow/apply-records.ts'
import { compareRoots } from './follow/compare-roots.ts'
import { ClaimHeldError } from './follow/follower.ts'
import type { ReplicationContext } from './replication-context.ts'
import { finishStepDown } from './roles/demote-primary.ts'
import { ensureFirstRecord } from './roles/first-record.ts'

/** The maximum time that a primary waits for new records before it answers a fetch. */
const MAX_WAIT_MS = 5000

const MAX_TRIES = 5

/** The number of small parts of the store that a reindex inspects per tick. 256 parts contain a few thousand records. */
const PARTS_PER_TICK = 256

const PARTS_PER_TURN = 64

const IDLE_MS = 1000

const RETRY_MS = 2000

export class ReplicationLoops {
  readonly #context: ReplicationContext
  /** The root of the primary with which the root of this cluster was last compared, after its index. */
  #comparedRoot = ''
  /** The version of the role under which no step-down is unfinished. Every step-down changes the role. */
  #settledAs: number | undefined

  constructor(context: ReplicationContext) {
    this.#context = context
  }

  /**
   * Does the work of one tick. An error in following the primary does not stop the rest of the work.
   *
   * @throws The error with which following the primary failed, after the rest of the work is done.
   */
  async tick(): Promise<void> {
    const context = this.#context
    const { membership, inspector, reindex } = context
    const { gate } = context.internals
    await context.applyRole()
    const { mode } = membership
    // Do not await the renewal: a fence register that does not answer must not delay the rest of the tick.
    if (context.writeLease) void gate.track(context.writeLease.renewIfDue().catch(() => {}))
    if (mode === 'disabled') {
      await this.#fold()
      return
    }
    let failure: unknown
    if (mode === 'secondary') await this.#finishStepDown()
    else
      await ensureFirstRecord(context).catch((error: unknown) => {
        failure = error
      })
    if (mode === 'secondary' && (await membership.current())?.relation.upstream)
      await this.#followNow().catch((error: unknown) => {
        if (!(error instanceof ClaimHeldError)) failure = error
      })
    const isFolded = await this.#fold()
    if (inspector.isScrubDue) await context.inTurn(() => this.#scrub())
    if (!inspector.runsWithoutTicks) await gate.track(reindex.runParts(PARTS_PER_TICK))
    if (mode === 'secondary' && !failure) await this.#compareRoots(isFolded === true)
    if (failure) throw failure
  }

  async #finishStepDown(): Promise<void> {
    const { roleVersion } = this.#context.host.store.commits
    if (this.#settledAs === roleVersion) return
    if (await finishStepDown(this.#context)) this.#settledAs = roleVersion
  }

  /**
   * Applies the log entries to the Merkle tree (folds the log) while the follower applies the primary's records. This does not use
   * `inTurn`: the follower occupies `inTurn` as long as the primary keeps writing, and folding must not wait that long. A comparison of
   * trees begins with a run of the tree maintainer, so it waits for this run.
   *
   * @returns The result of {@link TreeMaintainer.runIfDue}; undefined if the cluster is not streaming, or the run failed.
   */
  async #foldWhileStreaming(): Promise<boolean | undefined> {
    const { follower, treeMaintainer, internals } = this.#context
    if (follower.state !== 'stream-wals') return undefined
    return internals.gate.track(treeMaintainer.runIfDue().catch(() => undefined))
  }

  /** @returns The result of {@link TreeMaintainer.runIfDue}. */
  async #fold(): Promise<boolean | undefined> {
    const { treeMaintainer } = this.#context
    if (!treeMaintainer.isRunDue) return undefined
    return (await this.#foldWhileStreaming()) ?? (await this.#context.inTurn(() => treeMaintainer.runIfDue()))
  }

  async #scrub(): Promise<void> {
    const { treeMaintainer, inspector } = this.#context
    if (await treeMaintainer.run()) await inspector.scrub()
  }

  /** Compares the root with that of the primary if either of them may have changed since the last comparison. */
  async #compareRoots(isFolded: boolean): Promise<void> {
    const { follower } = this.#context
    const { index, root } = follower.lastHello?.primaryState.checkpoint ?? {}
    const compared = `${index} ${root}`
    if (!isFolded && compared === this.#comparedRoot) return
    this.#comparedRoot = compared
    await compareRoots(this.#context)
  }

  /** Applies new records of the primary. Starts again if something that the run depends on, such as the role, changed during the run. */
  async #followNow(): Promise<void> {
    const context = this.#context
    for (let tries = 1; ; tries++) {
      try {
        return await context.inTurn(() => context.follower.follow(context.host.env.closing))
      } catch (error) {
        if (!(error instanceof StaleClaimError) || tries === MAX_TRIES) throw error
      }
    }
  }

  /** Applies the primary's records continuously, until `stop` is aborted. */
  async stream(stop: AbortSignal): Promise<void> {
    const { host, internals, membership } = this.#context
    while (!stop.aborted) {
      const follows = internals.gate.state === 'open' && membership.mode === 'secondary' && membership.known?.relation.upstream
      const pause = follows ? await this.#streamOnce(stop) : IDLE_MS
      if (pause > 0) await host.clock.sleep(pause, stop).catch(() => {})
    }
  }

  async #streamOnce(stop: AbortSignal): Promise<number> {
    const context = this.#context
    const wait = Math.min(MAX_WAIT_MS, Math.floor(context.host.env.deadline.ms / 3))
    try {
      void this.#foldWhileStreaming()
      await context.inTurn(() => context.follower.follow(stop, wait))
      return 0
    } catch {
      return RETRY_MS
    }
  }

  /** Renews the write lease continuously, until `stop` is aborted. */
  async keepWriteLease(stop: AbortSignal): Promise<void> {
    const { host, internals, writeLease } = this.#context
    while (writeLease && !stop.aborted) {
      if (internals.gate.state === 'open') await internals.gate.track(writeLease.renewIfDue().catch(() => {}))
      await host.clock.sleep(IDLE_MS, stop).catch(() => {})
    }
  }

  /** Runs each reindex that is started or was interrupted, without ticks, until `stop` is aborted. */
  async continueReindex(stop: AbortSignal): Promise<void> {
    const { host, internals, inspector, reindex } = this.#context
    inspector.runsWithoutTicks = true
    while (!stop.aborted) {
      const turn = async (): Promise<boolean> => internals.gate.state === 'open' && reindex.runParts(PARTS_PER_TURN)
      if (await internals.gate.track(turn()).catch(() => false)) await host.clock.sleep(0)
      else await host.clock.sleep(IDLE_MS, stop).catch(() => {})
    }
    inspector.runsWithoutTicks = false
  }
}
