/** The components of one kind of replication in a kernel. */
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
 * The rules that keep the clusters of a set consistent. They are one object so that simulations can replace individual rules, to show which
 * property each rule protects.
 */
export interface ReplicationRules extends FollowRules {
  /** Plans what a promoted DR secondary takes over from its primary's part in performance replication. */
  planTakeOver(context: ReplicationContext, progress: ReplicaProgress, address: string): Promise<TakeOverPlan>
  /**
   * Returns the highest epoch in a secondary's history that this cluster accepts and does not know yet; 0 without such an epoch.
   */
  provenEpoch(context: ReplicationContext, peer: string, history: History): Promise<number>
  /** Steps down if a newer epoch is known. */
  stepDownIfSuperseded(context: ReplicationContext, epoch: number): Promise<void>
  /** Returns the handlers for the requests that a primary answers. */
  handlersOf(context: ReplicationContext): Pick<ServerParts, 'handlers' | 'activate'>
}

/** One kind of replication of a kernel. */
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
  /** The permission to commit as the primary; undefined if no fence is configured. */
  readonly writeLease: FenceLease | undefined
  readonly options: ParsedReplicationOptions
  readonly rules: ReplicationRules
  readonly scopes: SecondaryScopes
  /** The addresses under which other clusters reach this one. */
  readonly self: { readonly address: string; readonly api: string }
  /** The reason why this kernel does not listen. */
  readonly listenError: string | undefined
  /** Runs work that changes the role or applies records. Only one piece of work runs at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Folds the log into the Merkle tree, unless other work is using the tree. */
  levelTree(): Promise<void>
  /** Starts or stops listening, as the current role requires. */
  applyRole(): Promise<void>
  /** The context of the other kind of replication. */
  readonly otherKind: ReplicationContext
}

/** Both kinds of replication of the kernel that an operation runs in. */
export const REPLICATION = /* @__PURE__ */ new KernelService<Readonly<Record<ReplicationKindName, ReplicationContext>>>()
