/** Items of a migration, and how each kind of item is copied and verified. */
import type { Caller } from './party.ts'

export type MigrationKind = 'mount' | 'policy' | 'password_policy' | 'key' | 'secret'

export interface MigrationItem {
  readonly kind: MigrationKind
  /** The path of the mount, such as `secret/`; empty for policies. */
  readonly mount: string
  /** The name of the policy or key, or the path of the secret below the mount; empty for a mount. */
  readonly name: string
}

/** Identifies an item among those of a migration. */
export const idOf = ({ kind, mount, name }: MigrationItem): string => `${kind} ${mount} ${name}`

/** An item that was not copied, or not completely. */
export interface MigrationProblem extends MigrationItem {
  /** One sentence. It contains no value. */
  readonly reason: string
}

/** The two sides while a migration runs. */
export interface Sides {
  readonly from: Caller
  readonly to: Caller
}

/** The result of copying, if it is not a complete copy. */
export interface CopyOutcome {
  /** `refused`: nothing was copied. `note`: the item was copied with a limitation. */
  readonly kind: 'refused' | 'note'
  readonly reason: string
}

export const refused = (reason: string): CopyOutcome => ({ kind: 'refused', reason })

export const note = (reason: string): CopyOutcome => ({ kind: 'note', reason })

/** Copies one kind of item. */
export interface ItemCopier {
  /**
   * Copies the item if the target lacks it, or has only a part of it. Changes nothing if the target has another item of this name. May be
   * repeated after any interruption.
   */
  copy(sides: Sides, item: MigrationItem): Promise<CopyOutcome | undefined>
  /** Returns the difference between the two sides, as one sentence. */
  verify(sides: Sides, item: MigrationItem): Promise<string | undefined>
}

/** Thrown if the source or target changed while an item was copied. The item is then copied again. */
export class ItemChanged extends Error {
  override readonly name = 'ItemChanged'
}
