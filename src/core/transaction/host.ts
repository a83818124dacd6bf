/**
 * What all transactions of a kernel share, and what those of one mount share.
 */
import type { Clock } from '../base/clock.ts'
import type { Auth } from '../contract/auth-reply.ts'
import type { Foreseen, Leased, LeaseTerms, LeaseWish } from '../contract/lease-terms.ts'
import type { LoginWish } from '../contract/login-terms.ts'
import type { Environment, Tx } from '../contract/tx.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { KeyCache } from '../crypto/pins.ts'
import type { RecordCache } from './cache.ts'
import type { Counters } from './counters.ts'
import type { EventBus } from './events/bus.ts'
import type { Freshness } from './freshness/freshness.ts'
import type { Store } from './store.ts'

export interface Host {
  readonly env: Environment
  readonly clock: Clock
  readonly store: Store
  readonly cache: RecordCache
  readonly keys: KeyCache<Wipeable>
  /** Whether the two may be used. */
  readonly freshness: Freshness
  readonly counters: Counters
  /** Learn of what was committed. */
  readonly events: EventBus
  /** What `tx.lease` does; it rests on more than transactions know. */
  readonly issueLease: (tx: Tx, wish: LeaseWish) => Leased
  /** The same of `tx.foreseeLease`. */
  readonly foreseeLease: (tx: Tx, terms: LeaseTerms) => Foreseen
  /** The same of `tx.login`. */
  readonly issueLogin: (tx: Tx, wish: LoginWish) => Auth
}
