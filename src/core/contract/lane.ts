/**
 * Kinds of background work, each with a separate order, limit and place.
 */
import type { KeyClass } from './record-kind.ts'

export interface LaneRules {
  /** Whether entries travel to other clusters with the records they belong to. Those of local mounts lie in `l` whatever it is. */
  readonly class: KeyClass
  /** How many items of the lane run at the same time. */
  readonly concurrency: number
}

export const LANES = {
  rotation: { class: 'r', concurrency: 2 },
  revocation: { class: 'l', concurrency: 4 },
  lease: { class: 'l', concurrency: 16 },
  housekeeping: { class: 'l', concurrency: 1 },
  /** External credentials that are due to be changed: they must never delay the keys. */
  credential: { class: 'r', concurrency: 16 },
  /** Work outside the store whose outcome is unknown. */
  intent: { class: 'l', concurrency: 16 },
  /** Secrets that are kept in external stores, too. */
  sync: { class: 'r', concurrency: 8 },
  /** Results that follow from records of the same place. */
  reconciliation: { class: 'l', concurrency: 1 },
} as const satisfies Readonly<Record<string, LaneRules>>

export type Lane = keyof typeof LANES

/** A process that has not renewed its claim on a lane for this long counts as gone. */
export const CLAIM_TTL_MS = 30_000
