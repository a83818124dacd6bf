/**
 * Replication of one kernel: what its parts share, and when they work.
 */

import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import type { ReplicationOptions } from '../../core/kernel/options.ts'
import { ROLE_KEY } from '../../core/log/role.ts'
import type { Host } from '../../core/transaction/host.ts'
import type { Fence } from '../../core/transaction/place.ts'
import type { Center } from './center.ts'
import { Overtaken } from './follow/apply.ts'
import { Busy, Follower } from './follow/follower.ts'
import { ListeningPlace } from './listening-place.ts'
import { type LogBounds, Upkeep } from './log/upkeep.ts'
import { Membership } from './membership.ts'
import { Nodes } from './nodes.ts'
import { finishStepDown } from './roles/demote-primary.ts'
import { SeenPeers } from './serve/seen.ts'
import { Server, type ServerParts } from './serve/server.ts'
import { originAt } from './state/history.ts'
import { RELATION_KEY } from './state/records.ts'

const MAX_BYTES = 67_108_864

const MAX_AGE_MS = 86_400_000

/** The most that a primary is asked to wait for something new. */
const LONGEST_WAIT_MS = 5000

/** What a primary answers. */
export type Answers = Pick<ServerParts, 'handlers' | 'activate'>

export class Replication implements Center {
  readonly insides: Insides
  readonly options: ReplicationOptions
  readonly transport: ReplicationTransport
  readonly membership: Membership
  readonly server: Server
  readonly follower: Follower
  readonly upkeep: Upkeep
  readonly nodes: Nodes
  readonly seen: SeenPeers
  readonly #place: ListeningPlace
  #turn: Promise<unknown> = Promise.resolve()
  /** Work in turn that has not ended. */
  #turns = 0

  constructor(
    insides: Insides,
    transport: ReplicationTransport,
    options: ReplicationOptions,
    answersOf: (center: Replication) => Answers,
  ) {
    const { host } = insides
    this.insides = insides
    host.cache.onChange(({ keys }) => {
      if (!keys || keys.includes(RELATION_KEY) || keys.includes(ROLE_KEY)) this.#changed()
    })
    this.options = options
    this.transport = transport
    this.membership = new Membership(host)
    this.nodes = new Nodes(host, insides.claims.owner)
    this.seen = new SeenPeers(host)
    const fence = (): Promise<Fence | undefined> => insides.claims.acquire('core', 'replication')
    this.upkeep = new Upkeep({ host, membership: this.membership, bounds: boundsOf(options), fence })
    this.server = new Server({ host, membership: this.membership, ...answersOf(this) })
    const handle = (message: Uint8Array) => this.server.handle(message)
    this.#place = new ListeningPlace({ insides, transport, nodes: this.nodes, given: options.cluster_address, handle })
    this.follower = new Follower({
      host,
      membership: this.membership,
      transport,
      self: () => this.self,
      fence,
      level: () => this.upkeep.run(),
      changed: (state) => host.events.say('replication.state_changed', { state }),
      progressed: (progress) => host.events.say('replication.progress', progress),
      diverged: (lost) => host.events.say('replication.diverged', { lost }),
    })
  }

  get host(): Host {
    return this.insides.host
  }

  /** How others reach this cluster. */
  get self(): { readonly address: string; readonly api: string } {
    return { address: this.#place.address, api: this.options.api_address ?? '' }
  }

  /** Why this kernel does not listen. */
  get listenError(): string | undefined {
    return this.#place.error
  }

  /** Runs work that changes the role, or what is held, one at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#turns++
    const done = this.#turn.then(work).finally(() => {
      this.#turns--
    })
    this.#turn = done.catch(() => {})
    return this.insides.gate.track(done)
  }

  /** Brings the tree up to the log, unless somebody works by it: while it is compared it has to stand still. */
  async levelTree(): Promise<void> {
    if (this.#turns === 0) await this.inTurn(() => this.upkeep.run())
  }

  /** Another kernel may have changed what this cluster is. */
  #changed(): void {
    this.membership.doubt()
    const { gate } = this.insides
    if (gate.state === 'open') void gate.track(this.settle().catch(() => {}))
  }

  /** What the present role asks for: listening, or not. */
  async settle(): Promise<void> {
    const member = await this.membership.current()
    await (member ? this.#place.open() : this.#place.close())
  }

  /** The work of a tick. @throws What kept a secondary from following; the rest was done. */
  async tick(): Promise<void> {
    await this.settle()
    const { mode } = this.membership
    let failure: unknown
    if (mode === 'secondary') await finishStepDown(this)
    if (mode === 'secondary' && (await this.membership.current())?.relation.upstream)
      await this.#followNow().catch((error: unknown) => {
        if (!(error instanceof Busy)) failure = error
      })
    const done = await this.#besideFollowing()
    await this.inTurn(() => this.#keepTree(done))
    if (mode === 'secondary' && !failure) await this.compareRoots()
    if (failure) throw failure
  }

  /**
   * Brings the tree up to the log while records are applied: in turn with them either would wait for the other, for as long as writers go on.
   * Whoever compares begins with a run of its own, and so waits for this one. Undefined where it was not done.
   */
  async #besideFollowing(): Promise<boolean | undefined> {
    if (this.follower.state !== 'stream-wals') return undefined
    return this.insides.gate.track(this.upkeep.run().catch(() => undefined))
  }

  /** @param done What {@link Upkeep.run} came to, where it has run already. */
  async #keepTree(done?: boolean): Promise<void> {
    if ((done ?? (await this.upkeep.run())) && (await this.upkeep.scrub()) > 0)
      this.host.events.say('replication.diverged', { lost: 0 })
  }

  /** Begins anew where something else changed what this rests on, such as the role of the cluster. */
  async #followNow(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.inTurn(() => this.follower.follow(this.host.env.closing))
      } catch (error) {
        if (!(error instanceof Overtaken) || tries === MOST_TRIES) throw error
      }
    }
  }

  /** Follows without waiting for ticks, until `stop` is aborted. */
  async stream(stop: AbortSignal): Promise<void> {
    const { clock } = this.host
    while (!stop.aborted) {
      const follows =
        this.insides.gate.state === 'open' && this.membership.mode === 'secondary' && this.membership.known?.relation.upstream
      const pause = follows ? await this.#streamOnce(stop) : IDLE_MS
      if (pause > 0) await clock.sleep(pause, stop).catch(() => {})
    }
  }

  async #streamOnce(stop: AbortSignal): Promise<number> {
    const wait = Math.min(LONGEST_WAIT_MS, Math.floor(this.host.env.deadline.ms / 3))
    try {
      void this.#besideFollowing()
      await this.inTurn(() => this.follower.follow(stop, wait))
      return 0
    } catch {
      return RETRY_MS
    }
  }

  /** Roots are compared at equal positions; where they differ, everything is compared at the next turn. */
  async compareRoots(): Promise<void> {
    const { heard } = this.follower
    const found = heard?.standing.checkpoint
    if (!found) return
    if (await this.upkeep.differsAt({ ...found, origin: originAt(heard.standing.history, found.index) })) {
      this.host.events.say('replication.diverged', { lost: 0 })
      this.follower.lastError = 'what is held differs from the primary’s records: it is compared and put right'
      await this.upkeep.mustCompare()
    }
  }

  /** The kernel is sealed or closed. */
  end(): void {
    this.follower.end()
    this.server.end()
    this.membership.forget()
    const bye = Promise.allSettled([this.#place.close(), this.nodes.unsay()])
    void this.insides.gate.track(bye)
  }
}

const MOST_TRIES = 5

const IDLE_MS = 1000

const RETRY_MS = 2000

const boundsOf = ({ log }: ReplicationOptions): LogBounds => ({
  max_bytes: log?.max_bytes ?? MAX_BYTES,
  max_age: log?.max_age ?? MAX_AGE_MS,
})
