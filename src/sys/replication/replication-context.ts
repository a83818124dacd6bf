/**
 * Replication of one kernel, as its parts see it.
 */
import { Part } from '../../core/contract/part.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import type { ReadReplication } from '../../core/kernel/replication-options.ts'
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
 * The rules that keep the clusters of a set consistent, as one value: a simulation replaces one of them to show which property it protects.
 */
export interface ReplicationRules extends FollowRules {
  /** The part of a primary that the cluster which stood by for it takes over. */
  planTakeOver(context: ReplicationContext, following: ReplicaProgress, address: string): Promise<TakeOverPlan>
  /** The highest epoch in the history of a secondary that this cluster believes; 0 if it believes none that it does not know. */
  provenEpoch(context: ReplicationContext, peer: string, history: History): Promise<number>
  /** Steps down as soon as a newer epoch is known. */
  stepDownIfSuperseded(context: ReplicationContext, epoch: number): Promise<void>
  /** The handlers of the requests that a primary answers. */
  handlersOf(context: ReplicationContext): Pick<ServerParts, 'handlers' | 'activate'>
}

/** One kind of replication. */
export interface ReplicationContext {
  readonly internals: Insides
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
  /** To write as a primary; undefined where nothing outside of the store decides that. */
  readonly writeLease: FenceLease | undefined
  readonly options: ReadReplication
  readonly rules: ReplicationRules
  readonly scopes: SecondaryScopes
  /** How others reach this cluster. */
  readonly self: { readonly address: string; readonly api: string }
  /** Why this kernel does not listen. */
  readonly listenError: string | undefined
  /** Runs work that follows the primary, one at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Brings the tree up to the log, unless somebody works by it. */
  levelTree(): Promise<void>
  /** Listens, or not, as the present role asks for. */
  applyRole(): Promise<void>
  /** The other kind. */
  readonly otherKind: ReplicationContext
}

/** Both kinds, of the kernel that an operation runs in. */
export const REPLICATION = /* @__PURE__ */ new Part<Readonly<Record<ReplicationKindName, ReplicationContext>>>()
