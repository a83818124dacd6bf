/**
 * One kind of replication of one kernel: what its parts share, and when they work.
 */

import type { FencePort } from '../../core/contract/fence-port.ts'
import { ROOT_NAMESPACE } from '../../core/contract/namespace.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import type { ReplicationOptions } from '../../core/kernel/replication-options.ts'
import { ROLE_KEY } from '../../core/log/role.ts'
import type { Fence } from '../../core/transaction/place.ts'
import { HeldByPeers } from './ack/held.ts'
import type { Center } from './center.ts'
import { RightToWrite } from './fence/right-to-write.ts'
import { Views } from './filters/views.ts'
import { Overtaken } from './follow/apply.ts'
import { endLeasesOf } from './follow/end-leases.ts'
import { Busy, Follower } from './follow/follower.ts'
import { isClear } from './follow/received.ts'
import type { Standing } from './follow/standing.ts'
import { Inspector } from './inspect/inspector.ts'
import { MerkleCheck } from './inspect/merkle-check.ts'
import { Reindex } from './inspect/reindex.ts'
import type { ListeningPlace } from './listening-place.ts'
import { type LogBounds, Upkeep } from './log/upkeep.ts'
import { Membership } from './membership.ts'
import type { Nodes } from './nodes.ts'
import { finishStepDown } from './roles/demote-primary.ts'
import { fenced } from './roles/fenced.ts'
import { beginEpoch } from './roles/first-record.ts'
import { SeenPeers } from './serve/seen.ts'
import { Server, type ServerParts } from './serve/server.ts'
import { originAt } from './state/history.ts'
import type { Kind } from './state/kind.ts'
import { type SetHost, setHost } from './state/set-host.ts'

const MAX_BYTES = 67_108_864

const MAX_AGE_MS = 86_400_000

/** The most that a primary is asked to wait for something new. */
const LONGEST_WAIT_MS = 5000

/** What a primary answers. */
export type Answers = Pick<ServerParts, 'handlers' | 'activate'>

export interface ReplicationParts {
  readonly insides: Insides
  readonly transport: ReplicationTransport
  readonly options: ReplicationOptions
  /** Both kinds listen there. */
  readonly place: ListeningPlace
  readonly answersOf: (center: Center) => Answers
  readonly beside: () => Center
}

export class Replication implements Center {
  readonly insides: Insides
  readonly host: SetHost
  readonly options: ReplicationOptions
  readonly transport: ReplicationTransport
  readonly membership: Membership
  readonly server: Server
  readonly follower: Follower
  readonly upkeep: Upkeep
  readonly inspector: Inspector
  readonly check: MerkleCheck
  readonly reindex: Reindex
  readonly nodes: Nodes
  readonly seen: SeenPeers
  readonly held: HeldByPeers
  readonly right: RightToWrite | undefined
  readonly views: Views
  readonly #place: ListeningPlace
  readonly #beside: () => Center
  #turn: Promise<unknown> = Promise.resolve()
  /** Work in turn that has not ended. */
  #turns = 0

  constructor(kind: Kind, { insides, transport, options, place, answersOf, beside }: ReplicationParts) {
    const host = setHost(insides.host, kind)
    this.insides = insides
    this.host = host
    host.cache.onChange(({ keys }) => {
      if (!keys || keys.includes(kind.relationKey) || keys.includes(ROLE_KEY)) this.#changed()
    })
    this.options = options
    this.transport = transport
    this.membership = new Membership(host)
    this.nodes = place.nodes
    this.seen = new SeenPeers(host)
    this.held = new HeldByPeers(host, (work) => insides.gate.track(work))
    this.right = this.#rightBy(options.fence)
    this.views = new Views({ host, topology: insides.topology, peers: () => this.server.peers })
    const fence = (): Promise<Fence | undefined> => insides.claims.acquire('core', 'replication')
    this.upkeep = new Upkeep({ host, membership: this.membership, bounds: boundsOf(options), fence })
    const said = () => host.events.say('replication.diverged', { kind: kind.name, lost: 0 })
    this.inspector = new Inspector({ host, membership: this.membership, upkeep: this.upkeep, fence, said })
    this.check = new MerkleCheck(this.inspector)
    this.reindex = new Reindex(this.inspector)
    this.server = new Server({ host, membership: this.membership, ...answersOf(this) })
    this.#place = place
    this.#beside = beside
    this.follower = new Follower({
      host,
      membership: this.membership,
      transport,
      self: () => this.self,
      fence,
      level: () => this.upkeep.run(),
      forgetLog: () => this.upkeep.forgetLog(),
      clusterId: () => insides.cluster?.id ?? '',
      endBelow: (mount, ended) => endLeasesOf(insides, host, mount, ended),
      rootMounts: async () => {
        await insides.topology.reload()
        return insides.topology.recordsIn(ROOT_NAMESPACE.uuid)
      },
      changed: (state) => host.events.say('replication.state_changed', { kind: kind.name, state }),
      progressed: (progress) => host.events.say('replication.progress', { kind: kind.name, ...progress }),
      diverged: (lost) => host.events.say('replication.diverged', { kind: kind.name, lost }),
    })
  }

  #rightBy(port: FencePort | undefined): RightToWrite | undefined {
    if (!port) return undefined
    return new RightToWrite({
      host: this.host,
      membership: this.membership,
      port,
      overtaken: (epoch) => fenced(this, epoch),
      track: (work) => this.insides.gate.track(work),
    })
  }

  get beside(): Center {
    return this.#beside()
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
    await (member ? this.#place.open(this.server) : this.#place.close(this.server))
  }

  /** The work of a tick. @throws What kept a secondary from following; the rest was done. */
  async tick(): Promise<void> {
    await this.settle()
    const { mode } = this.membership
    // A fence that hangs holds up nothing else.
    void this.insides.gate.track((this.right?.keep() ?? Promise.resolve()).catch(() => {}))
    let failure: unknown
    if (mode === 'secondary') await finishStepDown(this)
    else
      await beginEpoch(this).catch((error: unknown) => {
        failure = error
      })
    if (mode === 'secondary' && (await this.membership.current())?.relation.upstream)
      await this.#followNow().catch((error: unknown) => {
        if (!(error instanceof Busy)) failure = error
      })
    const done = await this.#besideFollowing()
    await this.inTurn(() => this.#keepTree(done))
    if (!this.inspector.isByItself) await this.insides.gate.track(this.reindex.turn(PARTS_PER_TICK))
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
    if (done ?? (await this.upkeep.run())) await this.inspector.scrub()
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

  /** Renews the right to write without waiting for ticks, until `stop` is aborted. */
  async keepingRight(stop: AbortSignal): Promise<void> {
    const { host, insides, right } = this
    while (right && !stop.aborted) {
      if (insides.gate.state === 'open') await insides.gate.track(right.keep().catch(() => {}))
      await host.clock.sleep(IDLE_MS, stop).catch(() => {})
    }
  }

  /** Goes on with a reindex without waiting for ticks, until `stop` is aborted. */
  async reindexing(stop: AbortSignal): Promise<void> {
    const { host, insides, inspector } = this
    inspector.isByItself = true
    while (!stop.aborted) {
      const turn = async (): Promise<boolean> => insides.gate.state === 'open' && this.reindex.turn(PARTS_PER_TURN)
      if (await insides.gate.track(turn()).catch(() => false)) await host.clock.sleep(0)
      else await host.clock.sleep(IDLE_MS, stop).catch(() => {})
    }
    inspector.isByItself = false
  }

  /** Roots are compared at equal positions; where they differ, everything is compared at the next turn. */
  async compareRoots(): Promise<void> {
    const { heard } = this.follower
    const found = heard?.standing.checkpoint
    if (!found || !(await this.#isHeldAsHeard(heard.standing))) return
    if (await this.upkeep.differsAt({ ...found, origin: originAt(heard.standing.history, found.index) })) {
      this.host.events.say('replication.diverged', { kind: this.host.kind.name, lost: 0 })
      this.follower.lastError = 'what is held differs from the primary’s records: it is compared and put right'
      await this.upkeep.mustCompare()
    }
  }

  /**
   * A root without what a filter leaves out is as of the mounts that the primary had when it said so: whoever has not heard of all of them
   * has another one.
   */
  async #isHeldAsHeard({ view, partial, head }: Standing): Promise<boolean> {
    const { value } = await this.host.kind.following.read(this.host.store)
    return value !== undefined && (value.view ?? '') === view && (!partial || (isClear(value) && value.applied >= head))
  }

  /** The kernel is sealed or closed. */
  end(): void {
    this.follower.end()
    this.server.end()
    this.held.end()
    this.right?.forget()
    this.membership.forget()
    void this.insides.gate.track(this.#place.close(this.server).catch(() => {}))
  }
}

const MOST_TRIES = 5

/** Of a reindex: some thousand records. */
const PARTS_PER_TICK = 256

const PARTS_PER_TURN = 64

const IDLE_MS = 1000

const RETRY_MS = 2000

const boundsOf = ({ log }: ReplicationOptions): LogBounds => ({
  max_bytes: log?.max_bytes ?? MAX_BYTES,
  max_age: log?.max_age ?? MAX_AGE_MS,
})
