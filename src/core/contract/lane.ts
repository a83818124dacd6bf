/**
 * The lanes of background work. A lane is a queue of due items, which are the entries of the due index: the stored list of background work,
 * ordered by time. Each lane limits how many of its items run concurrently.
 */
import type { KeyClass } from './record-kind.ts'

export interface LaneRules {
  /**
   * The record class under which the lane's due items are stored. An item of class `r` (replicated to all secondaries) is replicated
   * together with the records that it concerns. In a local mount, all due items have class `l` (replicated to DR secondaries only).
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
  /** Operations that call an outside system, if the call must be retried or if it is unknown whether the call took effect. */
  intent: { class: 'l', concurrency: 16 },
  /** Secrets that are synchronized to external stores. */
  sync: { class: 'r', concurrency: 8 },
  /** Records that are derived from other records of the same keyspace. */
  reconciliation: { class: 'l', concurrency: 1 },
} as const satisfies Readonly<Record<string, LaneRules>>

export type Lane = keyof typeof LANES

/** The time after which another process may take over a claim (the right to do a lane's work in a mount) that was not renewed. */
export const CLAIM_TTL_MS = 30_000
