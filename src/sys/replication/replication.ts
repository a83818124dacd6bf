/**
 * One kind of replication of one kernel: what its parts share.
 */

import type { FencePort } from '../../core/contract/fence-port.ts'
import { ROOT_NAMESPACE } from '../../core/contract/namespace.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import type { ReadReplication } from '../../core/kernel/replication-options.ts'
import { ROLE_KEY } from '../../core/log/role.ts'
import type { Fence } from '../../core/transaction/place.ts'
import { HeldByPeers } from './ack/held.ts'
import type { Center, ReplicationRules } from './center.ts'
import { RightToWrite } from './fence/right-to-write.ts'
import { Views } from './filters/views.ts'
import { endLeasesOf } from './follow/end-leases.ts'
import { Follower } from './follow/follower.ts'
import { Inspector } from './inspect/inspector.ts'
import { MerkleCheck } from './inspect/merkle-check.ts'
import { Reindex } from './inspect/reindex.ts'
import type { ListeningPlace } from './listening-place.ts'
import type { LogBounds } from './log/cut-log.ts'
import { Upkeep } from './log/upkeep.ts'
import { Membership } from './membership.ts'
import type { Nodes } from './nodes.ts'
import { SeenPeers } from './serve/seen.ts'
import { Server } from './serve/server.ts'
import type { Kind } from './state/kind.ts'
import { type SetHost, setHost } from './state/set-host.ts'

const MAX_BYTES = 67_108_864

const MAX_AGE_MS = 86_400_000

export interface ReplicationParts {
  readonly insides: Insides
  readonly transport: ReplicationTransport
  readonly options: ReadReplication
  /** Both kinds listen there. */
  readonly place: ListeningPlace
  readonly rules: ReplicationRules
  readonly beside: () => Center
}

export class Replication implements Center {
  readonly insides: Insides
  readonly host: SetHost
  readonly options: ReadReplication
  readonly rules: ReplicationRules
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

  constructor(kind: Kind, { insides, transport, options, place, rules, beside }: ReplicationParts) {
    const host = setHost(insides.host, kind)
    this.insides = insides
    this.host = host
    host.cache.onChange(({ keys }) => {
      if (!keys || keys.includes(kind.relationKey) || keys.includes(ROLE_KEY)) this.#changed()
    })
    this.options = options
    this.rules = rules
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
    this.server = new Server({ host, membership: this.membership, ...rules.handlersOf(this) })
    this.#place = place
    this.#beside = beside
    this.follower = new Follower({
      host,
      membership: this.membership,
      transport,
      rules,
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
      overtaken: (epoch) => this.rules.fenced(this, epoch),
      track: (work) => this.insides.gate.track(work),
    })
  }

  get beside(): Center {
    return this.#beside()
  }

  /** How others reach this cluster. */
  get self(): { readonly address: string; readonly api: string } {
    return { address: this.#place.address, api: this.options.apiAddress ?? '' }
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

const boundsOf = ({ log }: ReadReplication): LogBounds => ({
  maxBytes: log?.maxBytes ?? MAX_BYTES,
  maxAgeMs: log?.maxAgeMs ?? MAX_AGE_MS,
})
