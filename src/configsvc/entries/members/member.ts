/**
 * A member of an entry, or of a record in one: how it is read from a body, what is left out, by which rule it is judged, and how filters see it.
 */
import type { Pace, Steps } from '../../../core/base/steps.ts'
import type { Shape } from '../../expression/index.ts'
import type { EntryReading } from './entry-reading.ts'

/** Judges a value by itself. @throws KernelError 400 that names the path. */
export type MemberRule<T> = (value: T, path: string, pace: Pace) => void | Steps<void>

export interface EntryMember<T> {
  /** The value as it is stored: a value of another JSON type is coerced, as the originals do. @throws KernelError 400 */
  readonly read: (raw: unknown, path: string, reading: EntryReading) => T | Steps<T>
  /** Whether the value is as good as none; a record is then stored without it. */
  readonly isEmpty: (value: T) => boolean
  readonly check?: MemberRule<T> | undefined
  readonly shape: Shape
  /** The alias of its name: null for none. Default: the name in snake case. */
  readonly alias?: string | null
}

// A member in a table: a value of it is only ever used through the table it came from.
// biome-ignore lint/suspicious/noExplicitAny: no other type accepts every Member<T>, since T stands on both sides.
export type AnyEntryMember = EntryMember<any>

export type EntryMembers = Readonly<Record<string, AnyEntryMember>>

/** The type of a member's values. */
export type ValueOf<M> = M extends EntryMember<infer T> ? T : never

/** The type of a record: whatever is zero, empty or false may be absent. */
export type RecordOf<M extends EntryMembers> = { readonly [K in keyof M]?: ValueOf<M[K]> | undefined }

/** A member whose zero says something else than its absence. */
export const keepZero = <T>(member: EntryMember<T>): EntryMember<T> => ({ ...member, isEmpty: () => false })

/** A member with an alias that no rule yields, or with none. */
export const withAlias = <T>(member: EntryMember<T>, alias: string | null): EntryMember<T> => ({ ...member, alias })
