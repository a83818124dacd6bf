/** The implementation of one kind of replication in a kernel. */

import type { FencePort } from '../../core/contract/fence-port.ts'
import { ROOT_NAMESPACE } from '../../core/contract/namespace.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import type { ParsedReplicationOptions } from '../../core/kernel/replication-options.ts'
import { ROLE_KEY } from '../../core/log/role.ts'
import type { Fence } from '../../core/transaction/keyspace.ts'
import { PeerAcknowledgements } from './ack/peer-acknowledgements.ts'
import type { ClusterNodes } from './cluster-nodes.ts'
import { FenceLease } from './fence/fence-lease.ts'
import { SecondaryScopes } from './filters/secondary-scopes.ts'
import { Follower } from './follow/follower.ts'
import { revokeLeasesOf } from './follow/revoke-leases.ts'
import { Inspector } from './inspect/inspector.ts'
import { MerkleCheck } from './inspect/merkle-check.ts'
import { Reindex } from './inspect/reindex.ts'
import { TreeMaintainer } from './log/tree-maintainer.ts'
import type { LogBounds } from './log/truncate-log.ts'
import { Membership } from './membership.ts'
import type { ReplicationContext, ReplicationRules } from './replication-context.ts'
import type { ReplicationListener } from './replication-listener.ts'
import { PeerHeartbeats } from './serve/peer-heartbeats.ts'
import { ReplicationServer } from './serve/replication-server.ts'
import type { ReplicationKind } from './state/replication-kind.ts'
import { type SetHost, setHost } from './state/set-host.ts'

const DEFAULT_LOG_BYTES = 67_108_864

const DEFAULT_LOG_AGE_MS = 86_400_000

export interface ReplicationParts {
  readonly internals: KernelInternals
  readonly transport: ReplicationTransport
  readonly options: ParsedReplicationOptions
  /** The listener, which both kinds of replication share. */
  readonly listener: ReplicationListener
  readonly rules: ReplicationRules
  readonly otherKind: () => ReplicationContext
}

export class Replication implements ReplicationContext {
  readonly internals: KernelInternals
  readonly host: SetHost
  readonly options: ParsedReplicationOptions
  readonly rules: ReplicationRules
  readonly transport: ReplicationTransport
  readonly membership: Membership
  readonly server: ReplicationServer
  readonly follower: Follower
  readonly treeMaintainer: TreeMaintainer
  readonly inspector: Inspector
  readonly check: MerkleCheck
  readonly reindex: Reindex
  readonly nodes: ClusterNodes
  readonly heartbeats: PeerHeartbeats
  readonly acknowledgements: PeerAcknowledgements
  readonly writeLease: FenceLease | undefined
  readonly scopes: SecondaryScopes
  readonly #listener: ReplicationListener
  readonly #otherKind: () => ReplicationContext
  #lastInTurn: Promise<unknown> = Promise.resolve()
  /** The number of functions passed to `inTurn` that have not ended. */
  #pendingInTurn = 0

  constructor(kind: ReplicationKind, { internals, transport, options, listener, rules, otherKind }: ReplicationParts) {
    const host = setHost(internals.host, kind)
    this.internals = internals
    this.host = host
    host.cache.onChange(({ keys }) => {
      if (!keys || keys.includes(kind.relationKey) || keys.includes(ROLE_KEY)) this.#onRoleChange()
    })
    this.options = options
    this.rules = rules
    this.transport = transport
    this.membership = new Membership(host)
    this.nodes = listener.nodes
    this.heartbeats = new PeerHeartbeats(host)
    this.acknowledgements = new PeerAcknowledgements(host, (work) => internals.gate.track(work))
    this.writeLease = this.#newWriteLease(options.fence)
    this.scopes = new SecondaryScopes({ host, topology: internals.topology, peers: () => this.server.peers })
    const fence = (): Promise<Fence | undefined> => internals.claims.acquire('core', 'replication')
    this.treeMaintainer = new TreeMaintainer({
      host,
      membership: this.membership,
      bounds: logBoundsOf(options),
      fence,
      applied: () => this.follower.applied,
    })
    const reportDivergence = () => host.events.publishKernelEvent('replication.diverged', { kind: kind.name, lost: 0 })
    this.inspector = new Inspector({
      host,
      membership: this.membership,
      treeMaintainer: this.treeMaintainer,
      fence,
      reportDivergence,
    })
    this.check = new MerkleCheck(this.inspector)
    this.reindex = new Reindex(this.inspector)
    this.server = new ReplicationServer({ host, membership: this.membership, ...rules.handlersOf(this) })
    this.#listener = listener
    this.#otherKind = otherKind
    this.follower = new Follower({
      host,
      membership: this.membership,
      transport,
      rules,
      self: () => this.self,
      fence,
      foldLog: () => this.treeMaintainer.run(),
      forgetLog: () => this.treeMaintainer.forgetLog(),
      clusterId: () => internals.cluster?.id ?? '',
      revokeLeases: (mount, ended) => revokeLeasesOf(internals, host, mount, ended),
      rootMounts: async () => {
        await internals.topology.reload()
        return internals.topology.recordsIn(ROOT_NAMESPACE.uuid)
      },
      changed: (state) => host.events.publishKernelEvent('replication.state_changed', { kind: kind.name, state }),
      progressed: (progress) => host.events.publishKernelEvent('replication.progress', { kind: kind.name, ...progress }),
      diverged: (lost) => host.events.publishKernelEvent('replication.diverged', { kind: kind.name, lost }),
    })
  }

  #newWriteLease(port: FencePort | undefined): FenceLease | undefined {
    if (!port) return undefined
    return new FenceLease({
      host: this.host,
      membership: this.membership,
      port,
      onNewerEpoch: (epoch) => this.rules.stepDownIfSuperseded(this, epoch),
      track: (work) => this.internals.gate.track(work),
    })
  }

  get otherKind(): ReplicationContext {
    return this.#otherKind()
  }

  /** The addresses under which other clusters reach this cluster: for replication messages, and for API requests. */
  get self(): { readonly address: string; readonly api: string } {
    return { address: this.#listener.address, api: this.options.apiAddress ?? '' }
  }

  /** The reason why this kernel could not start to listen; undefined after a success. */
  get listenError(): string | undefined {
    return this.#listener.error
  }

  /** Runs a function that changes the role or applies records. Such functions run one after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#pendingInTurn++
    const done = this.#lastInTurn.then(work).finally(() => {
      this.#pendingInTurn--
    })
    this.#lastInTurn = done.catch(() => {})
    return this.internals.gate.track(done)
  }

  /**
   * Folds the log into the Merkle tree, that is, applies the log entries to it. Does nothing if a function passed to `inTurn` is running or
   * waiting, because the tree must not change while that function compares trees.
   */
  async levelTree(): Promise<void> {
    if (this.#pendingInTurn === 0) await this.inTurn(() => this.treeMaintainer.run())
  }

  /** Called when another kernel may have changed the role. */
  #onRoleChange(): void {
    this.membership.invalidate()
    const { gate } = this.internals
    if (gate.state === 'open') void gate.track(this.applyRole().catch(() => {}))
  }

  /** Listens for other clusters if this cluster is in a set; otherwise stops listening. */
  async applyRole(): Promise<void> {
    const member = await this.membership.current()
    await (member ? this.#listener.open(this.server) : this.#listener.close(this.server))
  }

  /** Called when the kernel is sealed or closed. */
  end(): void {
    this.follower.end()
    this.server.end()
    this.treeMaintainer.end()
    this.reindex.end()
    this.acknowledgements.end()
    this.writeLease?.forget()
    this.membership.forget()
    void this.internals.gate.track(this.#listener.close(this.server).catch(() => {}))
  }
}

const logBoundsOf = ({ log }: ParsedReplicationOptions): LogBounds => ({
  maxBytes: log?.maxBytes ?? DEFAULT_LOG_BYTES,
  maxAgeMs: log?.maxAgeMs ?? DEFAULT_LOG_AGE_MS,
})
