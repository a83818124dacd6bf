/** The lanes of background work. Each has its own order, concurrency limit and record class. */
import type { KeyClass } from './record-kind.ts'

export interface LaneRules {
  /** `r`: entries are replicated with the records they belong to. Entries of local mounts are always in class `l`. */
  readonly class: KeyClass
  /** How many items of the lane run concurrently. */
  readonly concurrency: number
}

export const LANES = {
  rotation: { class: 'r', concurrency: 2 },
  revocation: { class: 'l', concurrency: 4 },
  lease: { class: 'l', concurrency: 16 },
  housekeeping: { class: 'l', concurrency: 1 },
  /** External credentials that must be changed. A separate lane, so that they never delay key rotations. */
  credential: { class: 'r', concurrency: 16 },
  /** Effects with an unknown outcome. */
  intent: { class: 'l', concurrency: 16 },
  /** Secrets that are synchronized to external stores. */
  sync: { class: 'r', concurrency: 8 },
  /** Records that are derived from other records of the same keyspace. */
  reconciliation: { class: 'l', concurrency: 1 },
} as const satisfies Readonly<Record<string, LaneRules>>

export type Lane = keyof typeof LANES

/** After this time without a renewal, a claim on a lane is free for other processes. */
export const CLAIM_TTL_MS = 30_000
