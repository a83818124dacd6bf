/**
 * When the parts of one kind of replication work: at a tick, or by themselves until they are stopped.
 */
import type { Center } from './center.ts'
import { Overtaken } from './follow/apply.ts'
import { compareRoots } from './follow/compare-roots.ts'
import { Busy } from './follow/follower.ts'
import { finishStepDown } from './roles/demote-primary.ts'
import { beginEpoch } from './roles/first-record.ts'

/** The most that a primary is asked to wait for something new. */
const LONGEST_WAIT_MS = 5000

const MOST_TRIES = 5

/** Of a reindex: some thousand records. */
const PARTS_PER_TICK = 256

const PARTS_PER_TURN = 64

const IDLE_MS = 1000

const RETRY_MS = 2000

export class Rounds {
  readonly #center: Center

  constructor(center: Center) {
    this.#center = center
  }

  /** The work of a tick. @throws What kept a secondary from following; the rest was done. */
  async tick(): Promise<void> {
    const center = this.#center
    const { membership, inspector, reindex } = center
    const { gate } = center.insides
    await center.settle()
    const { mode } = membership
    // A fence that hangs holds up nothing else.
    void gate.track((center.right?.keep() ?? Promise.resolve()).catch(() => {}))
    let failure: unknown
    if (mode === 'secondary') await finishStepDown(center)
    else
      await beginEpoch(center).catch((error: unknown) => {
        failure = error
      })
    if (mode === 'secondary' && (await membership.current())?.relation.upstream)
      await this.#followNow().catch((error: unknown) => {
        if (!(error instanceof Busy)) failure = error
      })
    const done = await this.#besideFollowing()
    await center.inTurn(() => this.#keepTree(done))
    if (!inspector.isByItself) await gate.track(reindex.turn(PARTS_PER_TICK))
    if (mode === 'secondary' && !failure) await compareRoots(center)
    if (failure) throw failure
  }

  /**
   * Brings the tree up to the log while records are applied: in turn with them either would wait for the other, for as long as writers go on.
   * Whoever compares begins with a run of its own, and so waits for this one. Undefined where it was not done.
   */
  async #besideFollowing(): Promise<boolean | undefined> {
    const { follower, upkeep, insides } = this.#center
    if (follower.state !== 'stream-wals') return undefined
    return insides.gate.track(upkeep.run().catch(() => undefined))
  }

  /** @param done What {@link Upkeep.run} came to, where it has run already. */
  async #keepTree(done?: boolean): Promise<void> {
    const { upkeep, inspector } = this.#center
    if (done ?? (await upkeep.run())) await inspector.scrub()
  }

  /** Begins anew where something else changed what this rests on, such as the role of the cluster. */
  async #followNow(): Promise<void> {
    const center = this.#center
    for (let tries = 1; ; tries++) {
      try {
        return await center.inTurn(() => center.follower.follow(center.host.env.closing))
      } catch (error) {
        if (!(error instanceof Overtaken) || tries === MOST_TRIES) throw error
      }
    }
  }

  /** Follows without waiting for ticks, until `stop` is aborted. */
  async stream(stop: AbortSignal): Promise<void> {
    const { host, insides, membership } = this.#center
    while (!stop.aborted) {
      const follows = insides.gate.state === 'open' && membership.mode === 'secondary' && membership.known?.relation.upstream
      const pause = follows ? await this.#streamOnce(stop) : IDLE_MS
      if (pause > 0) await host.clock.sleep(pause, stop).catch(() => {})
    }
  }

  async #streamOnce(stop: AbortSignal): Promise<number> {
    const center = this.#center
    const wait = Math.min(LONGEST_WAIT_MS, Math.floor(center.host.env.deadline.ms / 3))
    try {
      void this.#besideFollowing()
      await center.inTurn(() => center.follower.follow(stop, wait))
      return 0
    } catch {
      return RETRY_MS
    }
  }

  /** Renews the right to write without waiting for ticks, until `stop` is aborted. */
  async keepingRight(stop: AbortSignal): Promise<void> {
    const { host, insides, right } = this.#center
    while (right && !stop.aborted) {
      if (insides.gate.state === 'open') await insides.gate.track(right.keep().catch(() => {}))
      await host.clock.sleep(IDLE_MS, stop).catch(() => {})
    }
  }

  /** Goes on with a reindex without waiting for ticks, until `stop` is aborted. */
  async reindexing(stop: AbortSignal): Promise<void> {
    const { host, insides, inspector, reindex } = this.#center
    inspector.isByItself = true
    while (!stop.aborted) {
      const turn = async (): Promise<boolean> => insides.gate.state === 'open' && reindex.turn(PARTS_PER_TURN)
      if (await insides.gate.track(turn()).catch(() => false)) await host.clock.sleep(0)
      else await host.clock.sleep(IDLE_MS, stop).catch(() => {})
    }
    inspector.isByItself = false
  }
}
