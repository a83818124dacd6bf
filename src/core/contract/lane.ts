/** The lanes of background work. Each lane is a queue with a concurrency limit and a record class. */
import type { KeyClass } from './record-kind.ts'

export interface LaneRules {
  /**
   * The record class of the lane's due items. Class `r`: they are replicated together with the records that they concern. In local mounts,
   * all due items have class `l`.
   */
  readonly class: KeyClass
  /** The maximum number of items of the lane that run concurrently. */
  readonly concurrency: number
}

export const LANES = {
  rotation: { class: 'r', concurrency: 2 },
  revocation: { class: 'l', concurrency: 4 },
  lease: { class: 'l', concurrency: 16 },
  housekeeping: { class: 'l', concurrency: 1 },
  /** Credentials in outside systems that must be changed. Such changes have a lane of their own, so that they never delay key rotations. */
  credential: { class: 'r', concurrency: 16 },
  /** Effects that must be retried, or whose outcome is unknown. */
  intent: { class: 'l', concurrency: 16 },
  /** Secrets that are synchronized to external stores. */
  sync: { class: 'r', concurrency: 8 },
  /** Records that are derived from other records of the same keyspace. */
  reconciliation: { class: 'l', concurrency: 1 },
} as const satisfies Readonly<Record<string, LaneRules>>

export type Lane = keyof typeof LANES

/** The time after which another process may take over a claim that was not renewed. */
export const CLAIM_TTL_MS = 30_000
