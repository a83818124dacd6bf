/**
 * Replication of one kernel, as its parts see it.
 */
import { Part } from '../../core/contract/part.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import type { ReadReplication } from '../../core/kernel/replication-options.ts'
import type { HeldByPeers } from './ack/held.ts'
import type { RightToWrite } from './fence/right-to-write.ts'
import type { Views } from './filters/views.ts'
import type { FollowRules } from './follow/follow-rules.ts'
import type { Follower } from './follow/follower.ts'
import type { Inspector } from './inspect/inspector.ts'
import type { MerkleCheck } from './inspect/merkle-check.ts'
import type { Reindex } from './inspect/reindex.ts'
import type { Upkeep } from './log/upkeep.ts'
import type { Membership } from './membership.ts'
import type { Nodes } from './nodes.ts'
import type { TakenOver } from './roles/taken-over.ts'
import type { SeenPeers } from './serve/seen.ts'
import type { Server, ServerParts } from './serve/server.ts'
import type { History } from './state/history.ts'
import type { KindName } from './state/kind.ts'
import type { Following } from './state/records.ts'
import type { SetHost } from './state/set-host.ts'

/**
 * The rules that keep the clusters of a set consistent, as one value: a simulation replaces one of them to show which property it protects.
 */
export interface ReplicationRules extends FollowRules {
  /** The part of a primary that the cluster which stood by for it takes over. */
  takenOver(center: Center, following: Following, address: string): Promise<TakenOver>
  /** The highest epoch in the history of a secondary that this cluster believes; 0 if it believes none that it does not know. */
  provenEpoch(center: Center, peer: string, history: History): Promise<number>
  /** Steps down as soon as a newer epoch is known. */
  fenced(center: Center, epoch: number): Promise<void>
  /** The handlers of the requests that a primary answers. */
  handlersOf(center: Center): Pick<ServerParts, 'handlers' | 'activate'>
}

/** One kind of replication. */
export interface Center {
  readonly insides: Insides
  readonly host: SetHost
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
  /** To write as a primary; undefined where nothing outside of the store decides that. */
  readonly right: RightToWrite | undefined
  readonly options: ReadReplication
  readonly rules: ReplicationRules
  readonly views: Views
  /** How others reach this cluster. */
  readonly self: { readonly address: string; readonly api: string }
  /** Why this kernel does not listen. */
  readonly listenError: string | undefined
  /** Runs work that follows the primary, one at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Brings the tree up to the log, unless somebody works by it. */
  levelTree(): Promise<void>
  /** Listens, or not, as the present role asks for. */
  settle(): Promise<void>
  /** The other kind. */
  readonly beside: Center
}

/** Both kinds, of the kernel that an operation runs in. */
export const REPLICATION = /* @__PURE__ */ new Part<Readonly<Record<KindName, Center>>>()
