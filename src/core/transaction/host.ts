/**
 * The objects that all transactions of a kernel share.
 */
import type { Clock } from '../base/clock.ts'
import type { Auth } from '../contract/auth-reply.ts'
import type { Environment } from '../contract/environment.ts'
import type { Leased, LeasePreview, LeaseRequest, LeaseTerms } from '../contract/lease-terms.ts'
import type { LoginRequest } from '../contract/login-terms.ts'
import type { Tx } from '../contract/tx.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { KeyCache } from '../crypto/key-cache.ts'
import type { Acknowledgement } from './acknowledgement.ts'
import type { RecordCache } from './cache.ts'
import type { Counters } from './counters.ts'
import type { EventBus } from './events/bus.ts'
import type { Failures } from './failures.ts'
import type { Forwarding } from './forwarding.ts'
import type { Freshness } from './freshness/freshness.ts'
import type { ReplicationPositionSource } from './replication-position.ts'
import type { Store } from './store.ts'

export interface Host {
  readonly env: Environment
  readonly clock: Clock
  readonly store: Store
  readonly cache: RecordCache
  readonly keys: KeyCache<Wipeable>
  /** Decides whether the record cache and the key cache may be used. */
  readonly freshness: Freshness
  readonly counters: Counters
  /** Forwards writes that a secondary cannot make itself. */
  readonly forwarding: Forwarding
  /** Waits until other clusters have stored the commits of requests. */
  readonly acknowledgement: Acknowledgement
  /** The cluster's position in its replication set. */
  readonly replicationPosition: ReplicationPositionSource
  /** Publishes the events of commits. */
  readonly events: EventBus
  /** Background work that has failed and has not succeeded since then. */
  readonly failures: Failures
  /** Implements `tx.lease`. The function is passed in, because the code for leases is in a room that this room must not import. */
  readonly issueLease: (tx: Tx, request: LeaseRequest) => Leased
  /** Implements `tx.previewLease`. */
  readonly previewLease: (tx: Tx, terms: LeaseTerms) => LeasePreview
  /** Implements `tx.login`. */
  readonly issueLogin: (tx: Tx, request: LoginRequest) => Auth
}
