/** The components that implement one kind of replication, performance or disaster recovery, in a kernel. */
import { KernelService } from '../../core/contract/kernel-service.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import type { ParsedReplicationOptions } from '../../core/kernel/replication-options.ts'
import type { PeerAcknowledgements } from './ack/peer-acknowledgements.ts'
import type { ClusterNodes } from './cluster-nodes.ts'
import type { FenceLease } from './fence/fence-lease.ts'
import type { SecondaryScopes } from './filters/secondary-scopes.ts'
import type { FollowRules } from './follow/follow-rules.ts'
import type { Follower } from './follow/follower.ts'
import type { Inspector } from './inspect/inspector.ts'
import type { MerkleCheck } from './inspect/merkle-check.ts'
import type { Reindex } from './inspect/reindex.ts'
import type { TreeMaintainer } from './log/tree-maintainer.ts'
import type { Membership } from './membership.ts'
import type { TakeOverPlan } from './roles/take-over-plan.ts'
import type { PeerHeartbeats } from './serve/peer-heartbeats.ts'
import type { ReplicationServer, ServerParts } from './serve/replication-server.ts'
import type { History } from './state/history.ts'
import type { ReplicaProgress } from './state/records.ts'
import type { ReplicationKindName } from './state/replication-kind.ts'
import type { SetHost } from './state/set-host.ts'

/**
 * The rules that keep the clusters of a set consistent. The rules are collected in one object so that a simulation can replace a single
 * rule and show which property that rule protects.
 */
export interface ReplicationRules extends FollowRules {
  /** Plans how a DR secondary that is promoted takes over the role that its primary had in performance replication. */
  planTakeOver(context: ReplicationContext, progress: ReplicaProgress, address: string): Promise<TakeOverPlan>
  /**
   * Returns the highest epoch in a secondary's history that has a valid proof and that this cluster does not know yet; 0 without such an
   * epoch.
   */
  provenEpoch(context: ReplicationContext, peer: string, history: History): Promise<number>
  /** Demotes this primary if `epoch` is newer than its own epoch. */
  stepDownIfSuperseded(context: ReplicationContext, epoch: number): Promise<void>
  /** Returns the handlers for the messages that secondaries send to a primary. */
  handlersOf(context: ReplicationContext): Pick<ServerParts, 'handlers' | 'activate'>
}

/**
 * The state and components of one kind of replication in a kernel. Each kernel has one context for performance and one for disaster
 * recovery.
 */
export interface ReplicationContext {
  readonly internals: KernelInternals
  readonly host: SetHost
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
  /** The lease that allows this cluster to commit as the primary; undefined if no fence register is configured. */
  readonly writeLease: FenceLease | undefined
  readonly options: ParsedReplicationOptions
  readonly rules: ReplicationRules
  readonly scopes: SecondaryScopes
  /** The addresses under which other clusters reach this cluster: for replication messages, and for API requests. */
  readonly self: { readonly address: string; readonly api: string }
  /** The reason why this kernel could not start to listen; undefined after a success. */
  readonly listenError: string | undefined
  /** Runs a function that changes the role or applies records. Such functions run one after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Applies the log entries to the Merkle tree, unless a function passed to `inTurn` is running or waiting. */
  levelTree(): Promise<void>
  /** Listens for other clusters if this cluster is in a set; otherwise stops listening. */
  applyRole(): Promise<void>
  /** The context of the other kind of replication. */
  readonly otherKind: ReplicationContext
}

/** The performance and the DR replication of the kernel in which an operation runs. */
export const REPLICATION = /* @__PURE__ */ new KernelService<Readonly<Record<ReplicationKindName, ReplicationContext>>>()
