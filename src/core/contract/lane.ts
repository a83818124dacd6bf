/**
 * Kinds of background work, each with its own order, bound and place.
 */
import type { KeyClass } from './record-kind.ts'

export interface LaneRules {
  /** Whether entries travel to other clusters with the records they belong to. */
  readonly class: KeyClass
  /** How many items of the lane run at a time. */
  readonly concurrency: number
}

export const LANES = {
  rotation: { class: 'r', concurrency: 2 },
  revocation: { class: 'l', concurrency: 4 },
  lease: { class: 'l', concurrency: 16 },
  housekeeping: { class: 'l', concurrency: 1 },
  /** Credentials outside that are due to be changed: they never hold up the keys. */
  credential: { class: 'r', concurrency: 16 },
  /** Work outside whose end nobody knows. */
  intent: { class: 'l', concurrency: 16 },
} as const satisfies Readonly<Record<string, LaneRules>>

export type Lane = keyof typeof LANES

/** A process that has not renewed its claim on a lane for so long is gone, as far as others are concerned. */
export const CLAIM_TTL_MS = 30_000
